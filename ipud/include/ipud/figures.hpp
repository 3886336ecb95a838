#pragma once

#include "fabric/link_node.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace copse::ipud {

/// A snapshot of what a daemon has counted since it started. docs/metrics.md explains each member.
struct Figures {
  /// `held`: a host holds the IPU; `running`: one of its requests is in progress.
  bool held = false, running = false;
  std::string holder; ///< the name that the host gives itself, printable; empty: not held
  std::uint64_t sessions = 0, loads = 0, runs = 0, faults = 0;
  std::uint64_t supersteps = 0; ///< sync points that the IPU has left
  double syncWaitSeconds = 0;   ///< spent at sync points [wall-clock]
  std::uint64_t modelledCycles = 0;
  std::uint64_t rowsFromHost = 0, bytesFromHost = 0, rowsToHost = 0, bytesToHost = 0; ///< streams
  std::uint64_t dropped = 0; ///< malformed messages on any socket
  std::uint64_t refused = 0; ///< connections refused because the peer has no valid key
  std::uint64_t residentBytes = 0;
  std::vector<fabric::LinkCounters> links; ///< by neighbour, summed over all partitions
};

} // namespace copse::ipud
