#include "fabric/spinning.hpp"

#include <algorithm>
#include <sched.h>

namespace copse::fabric {
namespace {

// About what it costs two processes to sleep and to be woken, a few times over.
constexpr std::chrono::microseconds kLongestSpin{30};
// A turn of the processor that was given away and came back later than this was wanted by others.
constexpr std::chrono::microseconds kOthersRan{4};
constexpr unsigned kLooksPerYield = 16;
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

Spinning::Spinning(Others others, unsigned perCore)
    : others_(others), longest_(perCore * kLongestSpin),
      looksPerYield_(std::max(1U, kLooksPerYield / (perCore * perCore))) {}

bool Spinning::until(const std::function<bool()> &come, Clock::time_point deadline) {
  static const bool severalCores = hasSeveralCores();
  if (come())
    return true;
  if (!severalCores)
    return false;
  if (skip_ > 0) {
    --skip_;
    return false;
  }
  switch (spin(come, std::min(deadline, Clock::now() + longest_))) {
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

Spinning::Spin Spinning::spin(const std::function<bool()> &come, Clock::time_point end) {
  for (auto before = Clock::now(); before < end;) {
    for (unsigned look = 0; look < looksPerYield_; ++look) {
      if (come())
        return Spin::Came;
      relax();
    }
    ::sched_yield();
    const auto now = Clock::now();
    if (others_ != Others::Awaited && now - before > kOthersRan)
      return others_ == Others::Either && come() ? Spin::Came : Spin::CoreWanted;
    before = now;
  }
  return Spin::Late;
}

} // namespace copse::fabric
