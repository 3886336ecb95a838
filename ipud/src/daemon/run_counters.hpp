#pragma once

#include <atomic>
#include <cstdint>

namespace copse::ipud {

/// The counters of the run thread, which other threads may read: the members of Figures.
struct RunCounters {
  using Counter = std::atomic<std::uint64_t>;
  Counter loads{0}, runs{0}, faults{0};
  Counter supersteps{0}, syncWaitNanoseconds{0}, modelledCycles{0};
  Counter rowsFromHost{0}, bytesFromHost{0}, rowsToHost{0}, bytesToHost{0};
};

} // namespace copse::ipud
