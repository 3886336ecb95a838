#include "fabric/futex.hpp"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace copse::fabric::futex {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "a futex is a plain word");

void wait(std::atomic<std::uint32_t> &word, std::uint32_t value, std::chrono::nanoseconds time) {
  if (time <= std::chrono::nanoseconds::zero())
    return;
  const timespec longest{time.count() / 1'000'000'000, time.count() % 1'000'000'000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &longest, nullptr, 0);
}

void wakeAll(std::atomic<std::uint32_t> &word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace copse::fabric::futex
