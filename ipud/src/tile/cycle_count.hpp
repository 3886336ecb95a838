#pragma once

namespace copse::ipud {

/// The count of the native code of the vertex at hand.
struct CycleCount {
  /// [worker cycles]. Initial-exec, so that it has one distance from the pointer of each thread
  /// (wire::CycleOffset).
  [[gnu::tls_model("initial-exec")]] static constinit thread_local unsigned long long ofThread;
};

} // namespace copse::ipud
