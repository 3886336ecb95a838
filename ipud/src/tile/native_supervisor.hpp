#pragma once

#include "tile/codelet_context.hpp"

namespace copse::ipud {

/// Runs the vertex at hand, which is C++ of a supervisor: natively, but what its inline assembly
/// says is the supervisor's, so it may start workers in C++ and in assembly. A worker runs to its
/// end when it is started.
///
/// Thread: that of \p context.
/// \returns AND of what the vertex and its workers returned
/// \throws LeftCodelet, or what native code throws
bool runNativeSupervisor(CodeletContext &context);

} // namespace copse::ipud
