#pragma once

#include "popc/native_compiler.hpp"
#include "popc/vertex_type.hpp"

namespace copse::popc {

/// Whether a file of this name is assembly that the preprocessor reads first (.S), or is not (.s).
bool isAssembly(const std::string &path);

/// Assembles \p unit for its architecture. On a CPU tile instructions mean nothing: the module is
/// empty. Warnings go to standard error.
/// \param isPreprocessed  the C preprocessor is not to read it
/// \throws CompileError
Module buildAssemblyModule(const TranslationUnit &unit, bool isPreprocessed,
                           const NativeCompiler &compiler);

} // namespace copse::popc
