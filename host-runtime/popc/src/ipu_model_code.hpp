#pragma once

#include "cache.hpp"

#include "popc/native_compiler.hpp"
#include "popc/vertex_type.hpp"

#include <optional>
#include <vector>

namespace copse::popc {

/// Compiles the branches that \p units, all for one IPU target, have for other processors: an IPUModel runs these.
/// \returns a variant of that target (ipuModelVariant()); nothing if there are no such branches, or if they do not
/// compile
std::optional<Module> buildIpuModelModule(const std::vector<TranslationUnit> &units,
                                          const NativeCompiler &compiler, const Cache &cache);

} // namespace copse::popc
