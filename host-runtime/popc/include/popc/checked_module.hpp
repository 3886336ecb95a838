#pragma once

#include "popc/vertex_type.hpp"

namespace copse::popc {

/// Whether withChecks() can compile the code of \p module again.
bool hasSources(const Module &module);

/// A precompiled module for `copse check`: its sources (Module::sources) compiled again, with checked accesses. What
/// else the module has stays. Cached as other compiled codelets are.
/// \param module  of an IPU target, with sources
/// \throws CompileError, FileError
Module withChecks(Module module);

} // namespace copse::popc
