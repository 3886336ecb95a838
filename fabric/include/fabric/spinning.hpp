#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace copse::fabric {

/// Calls \p come up to \p polls times, with a pause after each.
/// \returns true once \p come has returned true
bool pollUntil(const std::function<bool()> &come, unsigned polls);

/// Waits briefly without sleeping, if a core is free. The class learns from the results: after a
/// failed spin (another thread wanted the core, or the condition did not become true in time) the
/// next waits do not spin, and their number doubles with each further failure.
///
/// Thread: one at a time.
class Spinning {
public:
  using Clock = std::chrono::steady_clock;
  using Condition = std::function<bool()>;
  /// The threads that run when this thread yields its core.
  enum class Others {
    /// Unrelated threads. A spin that finds that another thread wanted the core ends as a failure.
    Unrelated,
    /// The awaited peer, or unrelated threads. If another thread takes the core, the spin ends, but
    /// counts as a success if the condition has become true.
    Either,
  };
  /// \param perCore  number of processes that wait for each other on one core, at least 1. The more
  ///   there are, the longer a spin lasts and the more often it yields the core
  explicit Spinning(Others others = Others::Unrelated, unsigned perCore = 1);

  /// Waits until \p come returns true or \p deadline is over. May poll for a microsecond or two
  /// after the deadline, because most waits end before it is worth reading a clock.
  /// \returns true if \p come has returned true
  bool until(const Condition &come, Clock::time_point deadline);

  /// Waits as until() does, without a deadline, for processes that wait for each other in turn.
  /// \param coreIsAwaited  returns true if a process that is awaited needs this core, which is then
  ///   yielded at once
  bool untilOthers(const Condition &come, const Condition &coreIsAwaited);

private:
  enum class Spin : std::uint8_t {
    Came,
    Late,
    /// Another thread wanted the core. This is a failure even if the condition has become true,
    /// because a sleeping wait would have been woken just as soon.
    CoreWanted,
  };
  template <class Wait> bool learning(const Condition &come, Wait wait);
  Spin spin(const Condition &come, Clock::time_point deadline);
  Spin takeTurns(const Condition &come, const Condition &coreIsAwaited);

  Others others_;
  std::chrono::microseconds longest_;
  unsigned pollsPerYield_;
  /// The last wait of until() was short, and no other thread wanted the core.
  bool isShort_ = false;
  std::uint32_t skip_ = 0;    ///< how many waits will not spin
  std::uint32_t penalty_ = 0; ///< the next failed spin sets skip_ to 2^penalty_
};

} // namespace copse::fabric
