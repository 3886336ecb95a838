#pragma once

#include "popc/native_compiler.hpp"
#include "popc/vertex_type.hpp"

namespace copse::popc {

/// Returns true if \p path names an assembly source: .S, which is preprocessed, or .s.
bool isAssembly(const std::string &path);

/// Assembles \p unit for its architecture. The module of a CPU target is empty, as tile
/// instructions mean nothing there. Warnings go to TranslationUnit::messages.
/// \param isPreprocessed  true if the C preprocessor must not read it
/// \throws CompileError
Module buildAssemblyModule(const TranslationUnit &unit, bool isPreprocessed,
                           const NativeCompiler &compiler);

} // namespace copse::popc
