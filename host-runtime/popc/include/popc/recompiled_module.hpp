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

/// The same as it is, but linked with the code of \p others, which are its sources from now on, too.
/// \param others  Module::sources of other modules for its target
Module withSources(Module module, const std::vector<std::string> &others);

} // namespace copse::popc
