#pragma once

#include "popc/vertex_type.hpp"

namespace copse::popc {

/// Returns true if the code of \p module can be compiled again.
bool hasSources(const Module &module);

/// Compiles the sources of a precompiled module (Module::sources) again for `copse check`, with
/// checked accesses. The rest of the module stays. The result is cached as other compiled codelets
/// are.
/// \param module  a module of an IPU target that contains sources
Module withChecks(Module module);

/// Compiles the sources again for `copse debug`, with debug information.
Module withDebugInformation(Module module);

/// Links the code of \p module with code compiled from \p others, and adds these to its sources.
/// \param others  Module::sources of other modules for its target
Module withSources(Module module, const std::vector<std::string> &others);

} // namespace copse::popc
