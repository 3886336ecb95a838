#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace copse::fabric {

/// Asks \p come so many times, with a pause after each.
/// \returns whether it has become true
bool looksAndSees(const std::function<bool()> &come, unsigned looks);

/// Waits for a moment without sleeping, where a core is free for that. It learns from what happens:
/// when the core was wanted by others, or what was awaited did not come in time, the next waits
/// sleep at once, more of them each time.
///
/// Thread: one at a time.
class Spinning {
public:
  using Clock = std::chrono::steady_clock;
  using Condition = std::function<bool()>;
  /// Whom a core that is given away helps.
  enum class Others {
    Strangers, ///< so a wait ends when others wanted the core, and was a failure
    Either,    ///< so it ends, too, but what has come meanwhile is a success
  };
  /// \param perCore  processes that wait for each other and share a core, at least 1: each waits for
  /// as many turns, and gives its own away the sooner
  explicit Spinning(Others others = Others::Strangers, unsigned perCore = 1);

  /// May look for a microsecond or two after the deadline: most waits end before a clock is worth reading.
  /// \returns whether \p come has become true
  bool until(const Condition &come, Clock::time_point deadline);

  /// The same where processes wait for each other in turn, without a deadline.
  /// \param coreIsAwaited  one of those for whom it waits needs this core, which is given away at once
  bool untilOthers(const Condition &come, const Condition &coreIsAwaited);

private:
  enum class Spin : std::uint8_t {
    Came,
    Late,
    CoreWanted, ///< no success, even if it has come meanwhile: a wait that sleeps is woken at once
  };
  template <class Wait> bool learning(const Condition &come, Wait wait);
  Spin spin(const Condition &come, Clock::time_point deadline);
  Spin takeTurns(const Condition &come, const Condition &coreIsAwaited);

  Others others_;
  std::chrono::microseconds longest_;
  unsigned looksPerYield_;
  bool isShort_ = false;      ///< the last wait of until() was, and nobody else wanted the core
  std::uint32_t skip_ = 0;    ///< waits that do not spin
  std::uint32_t penalty_ = 0; ///< of the next spin without success: so many doublings
};

} // namespace copse::fabric
