#pragma once

#include "cache.hpp"

#include "popc/native_compiler.hpp"
#include "popc/vertex_type.hpp"

#include <optional>
#include <vector>

namespace copse::popc {

/// Compiles the branches for other processors of \p units, which are all for one IPU target: an
/// IPUModel runs these branches.
/// \returns a variant of that target (ipuModelVariant()); nothing if the sources have no such
///   branches, or if these do not compile
std::optional<Module> buildIpuModelModule(const std::vector<TranslationUnit> &units,
                                          const NativeCompiler &compiler, const Cache &cache);

} // namespace copse::popc
