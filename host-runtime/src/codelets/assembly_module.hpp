#pragma once

#include "codelets/native_compiler.hpp"
#include "codelets/vertex_type.hpp"

namespace copse::codelets {

/// Whether a file of this name is assembly that the preprocessor reads first (.S), or is not (.s).
bool isAssembly(const std::string &path);

/// Assembles \p unit for its architecture. On a CPU tile instructions mean nothing: the module is
/// empty. Warnings go to standard error.
/// \param isPreprocessed  the C preprocessor is not to read it
/// \throws CompileError
Module buildAssemblyModule(const TranslationUnit &unit, bool isPreprocessed,
                           const NativeCompiler &compiler);

} // namespace copse::codelets
