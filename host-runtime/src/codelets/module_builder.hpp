#pragma once

#include "codelets/cache.hpp"
#include "codelets/native_compiler.hpp"
#include "codelets/vertex_type.hpp"

namespace copse::codelets {

/// Compiles \p unit, or takes it from \p cache.  \throws CompileError
Module buildModule(const TranslationUnit &unit, const NativeCompiler &compiler, const Cache &cache);

} // namespace copse::codelets
