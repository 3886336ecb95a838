#include "fabric/spinning.hpp"

#include <algorithm>
#include <sched.h>
#include <utility>

namespace copse::fabric {
namespace {

// A few times the cost of putting two processes to sleep and waking them.
constexpr std::chrono::microseconds kLongestSpin{30};
// A yield that takes longer than this means that other threads wanted the core.
constexpr std::chrono::microseconds kOthersRan{4};
constexpr unsigned kPollsPerYield = 16;
// A change during a system call is seen late. So where the last wait was short and no other thread
// wanted the core, the first yield is delayed until so many times as many polls have failed.
constexpr unsigned kYieldDelays = 4;
// The members' cores are known from their last arrivals: after so many failed turns this may be out
// of date. With fewer turns, half of 16 IPUs on two cores go to sleep at a sync point shortly
// before its end.
constexpr unsigned kTurnsByCore = 100;
constexpr unsigned kPollsPerTurn = 8;
constexpr std::uint32_t kMostDoublings = 10;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

bool hasSeveralCores() {
  cpu_set_t cores;
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) > 1;
}

} // namespace

bool pollUntil(const std::function<bool()> &come, unsigned polls) {
  for (unsigned poll = 0; poll < polls; ++poll) {
    if (come())
      return true;
    relax();
  }
  return false;
}

Spinning::Spinning(Others others, unsigned perCore)
    : others_(others), longest_(perCore * kLongestSpin),
      pollsPerYield_(std::max(1U, kPollsPerYield / (perCore * perCore))) {}

bool Spinning::until(const Condition &come, Clock::time_point deadline) {
  return learning(come, [&] { return spin(come, deadline); });
}

bool Spinning::untilOthers(const Condition &come, const Condition &coreIsAwaited) {
  return learning(come, [&] { return takeTurns(come, coreIsAwaited); });
}

template <class Wait> bool Spinning::learning(const Condition &come, Wait wait) {
  static const bool severalCores = hasSeveralCores();
  if (come())
    return true;
  if (!severalCores)
    return false;
  if (skip_ > 0) {
    --skip_;
    return false;
  }
  switch (wait()) {
  case Spin::Came:
    penalty_ = 0;
    return true;
  case Spin::Late:
  case Spin::CoreWanted:
    break;
  }
  skip_ = 1U << penalty_;
  penalty_ = std::min(penalty_ + 1, kMostDoublings);
  return come();
}

Spinning::Spin Spinning::spin(const Condition &come, Clock::time_point deadline) {
  // Most waits end here, without reading the clock, which would cost as much as a message.
  const bool wasShort = std::exchange(isShort_, false);
  if (pollUntil(come, wasShort ? kYieldDelays * pollsPerYield_ : pollsPerYield_)) {
    isShort_ = true;
    return Spin::Came;
  }
  auto before = Clock::now();
  unsigned calls = 0;
  for (const auto end = std::min(deadline, before + longest_); before < end;) {
    if (pollUntil(come, pollsPerYield_)) {
      isShort_ = calls < kYieldDelays;
      return Spin::Came;
    }
    ::sched_yield();
    ++calls;
    const auto now = Clock::now();
    if (now - before > kOthersRan)
      return others_ == Others::Either && come() ? Spin::Came : Spin::CoreWanted;
    before = now;
  }
  return Spin::Late;
}

Spinning::Spin Spinning::takeTurns(const Condition &come, const Condition &coreIsAwaited) {
  // Most waits end here, without reading the clock, which would cost as much as everything else.
  for (unsigned turn = 0; turn < kTurnsByCore; ++turn) {
    if (come())
      return Spin::Came;
    if (coreIsAwaited())
      ::sched_yield();
    else if (pollUntil(come, kPollsPerTurn))
      return Spin::Came;
  }
  for (const auto end = Clock::now() + longest_; Clock::now() < end; ::sched_yield())
    if (pollUntil(come, pollsPerYield_))
      return Spin::Came;
  return Spin::Late;
}

} // namespace copse::fabric
