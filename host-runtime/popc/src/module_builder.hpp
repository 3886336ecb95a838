#pragma once

#include "cache.hpp"

#include "popc/native_compiler.hpp"
#include "popc/vertex_type.hpp"

#include <string>
#include <vector>

namespace copse::popc {

struct BuiltModule {
  Module module;
  bool testsIpu = false; ///< ExpandedSource::testsIpu, of any unit
};

/// Compiles \p units, which are all for one target, and links them into one shared object, or takes
/// this from \p cache. The module has a vertex class once, even if several units define it.
/// \param mayLack  symbols that other modules define may be missing (Module::missing)
/// \throws CompileError
BuiltModule buildModule(const std::vector<TranslationUnit> &units, const NativeCompiler &compiler,
                        const Cache &cache, bool mayLack = false);

} // namespace copse::popc
