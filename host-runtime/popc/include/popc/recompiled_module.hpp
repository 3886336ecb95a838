#pragma once

#include "popc/vertex_type.hpp"

namespace copse::popc {

/// Whether the code of \p module can be compiled again.
bool hasSources(const Module &module);

/// A precompiled module for `copse check`: its sources (Module::sources) compiled again, with checked accesses. What
/// else the module has stays. Cached as other compiled codelets are.
/// \param module  of an IPU target, with sources
/// \throws CompileError, FileError
Module withChecks(Module module);

/// The same for `copse debug`: with debug information.
Module withDebugInformation(Module module);

} // namespace copse::popc
