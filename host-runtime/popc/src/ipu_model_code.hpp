#pragma once

#include "cache.hpp"

#include "popc/native_compiler.hpp"
#include "popc/vertex_type.hpp"

#include <optional>
#include <vector>

namespace copse::popc {

/// What an IPUModel runs of \p units, all for one IPU target: the branches that they have for other processors.
/// \returns a variant of that target (ipuModelVariant()); nothing if there are no such branches, or if they do not
/// compile
std::optional<Module> buildIpuModelModule(const std::vector<TranslationUnit> &units,
                                          const NativeCompiler &compiler, const Cache &cache);

} // namespace copse::popc
