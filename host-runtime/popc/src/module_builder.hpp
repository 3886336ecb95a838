#pragma once

#include "cache.hpp"

#include "popc/native_compiler.hpp"
#include "popc/vertex_type.hpp"

#include <string>
#include <vector>

namespace copse::popc {

/// Compiles \p units, all for one target, and links them into one shared object, or takes it from
/// \p cache. A vertex class that several units have is in the module once.
/// \param mayLack  symbols may be missing: another module defines them (Module::missing)
/// \throws CompileError
Module buildModule(const std::vector<TranslationUnit> &units, const NativeCompiler &compiler,
                   const Cache &cache, bool mayLack = false);

/// The assembly of this machine for one source.
/// \throws CompileError
std::string nativeAssembly(const TranslationUnit &unit, const NativeCompiler &compiler);

} // namespace copse::popc
