#pragma once

#include "tile/codelet_context.hpp"
#include "tile/native_services.hpp"

namespace copse::ipud {

/// By the CodeletContext of whichever thread calls them.
const NativeServices &servicesOfThread();

/// Says which context that is; null: the thread runs no codelets any more.
void serveThisThread(CodeletContext *context);

} // namespace copse::ipud
