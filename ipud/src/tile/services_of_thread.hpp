#pragma once

#include "tile/codelet_context.hpp"
#include "tile/native_services.hpp"

namespace copse::ipud {

/// Returns services that use the CodeletContext of the calling thread.
const NativeServices &servicesOfThread();

/// Sets that context; null: the thread runs no more codelets.
void serveThisThread(CodeletContext *context);

} // namespace copse::ipud
