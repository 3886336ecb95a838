#pragma once

#include "fabric/link_node.hpp"

#include <cstdint>
#include <vector>

namespace copse::ipud {

/// What a daemon has counted since it started, at one moment. docs/metrics.md says what each means.
struct Figures {
  bool held = false, running = false; ///< by a host; a request of it is being done
  std::uint64_t sessions = 0, loads = 0, runs = 0, faults = 0;
  std::uint64_t supersteps = 0; ///< sync points that the IPU has left
  double syncWaitSeconds = 0;   ///< wall-clock, at sync points
  std::uint64_t modelledCycles = 0;
  std::uint64_t rowsFromHost = 0, bytesFromHost = 0, rowsToHost = 0, bytesToHost = 0; ///< streams
  std::uint64_t dropped = 0; ///< messages that were not of the protocol, on any socket
  std::uint64_t refused = 0; ///< connections of who has no key
  std::uint64_t residentBytes = 0;
  std::vector<fabric::LinkCounters> links; ///< by neighbour, over all partitions that it was in
};

} // namespace copse::ipud
