#pragma once

#include "tile/codelet_context.hpp"

namespace copse::ipud {

/// Runs the current vertex, a supervisor in C++. The C++ runs natively and the inline assembly on
/// an emulated supervisor, so that it may start workers in C++ and in assembly. A worker runs to
/// its end when it is started.
///
/// Thread: the thread of \p context.
/// \returns AND of the results of the vertex and its workers
/// \throws LeftCodelet, or what native code throws
bool runNativeSupervisor(CodeletContext &context);

} // namespace copse::ipud
