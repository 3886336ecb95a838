#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace copse::fabric {

/// Calls \p come up to \p polls times, with a pause after each.
/// \returns true once \p come has returned true
bool pollUntil(const std::function<bool()> &come, unsigned polls);

/// Waits briefly without sleeping, if a core is free. It learns from the results: when other
/// threads wanted the core, or the condition did not come true in time, the next waits sleep at
/// once, more of them each time.
///
/// Thread: one at a time.
class Spinning {
public:
  using Clock = std::chrono::steady_clock;
  using Condition = std::function<bool()>;
  /// The threads that run when this thread yields its core.
  enum class Others {
    Unrelated, ///< unrelated threads: a wait ends when others wanted the core, and has failed
    /// The peer or unrelated ones: a wait ends, too, but succeeds if the condition has come true.
    Either,
  };
  /// \param perCore  processes that wait for each other and share a core, at least 1: each waits
  ///   for that many turns, and yields its own core the sooner
  explicit Spinning(Others others = Others::Unrelated, unsigned perCore = 1);

  /// Waits until \p come returns true or \p deadline is over. May poll for a microsecond or two
  /// after the deadline, because most waits end before it is worth reading a clock.
  /// \returns true if \p come has returned true
  bool until(const Condition &come, Clock::time_point deadline);

  /// Like until(), for processes that wait for each other in turn, without a deadline.
  /// \param coreIsAwaited  returns true if a process that is awaited needs this core, which is then
  ///   yielded at once
  bool untilOthers(const Condition &come, const Condition &coreIsAwaited);

private:
  enum class Spin : std::uint8_t {
    Came,
    Late,
    /// A failure even if the condition has come true: a wait that sleeps is woken at once.
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
