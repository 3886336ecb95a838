// Replaces the functions of the C and C++ libraries that tell the time by those that the program
// sees.
#include "interposition.hpp"

#include <cstdint>
#include <ctime>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

using namespace copse::program_clock;

namespace {

std::int64_t shownBy(clockid_t clock) { return now() + origin(clock); }

/// Returns true if only the program's time advances \p clock.
bool tellsTime(clockid_t clock) {
  switch (clock) {
  case CLOCK_REALTIME:
  case CLOCK_MONOTONIC:
  case CLOCK_MONOTONIC_RAW:
  case CLOCK_REALTIME_COARSE:
  case CLOCK_MONOTONIC_COARSE:
  case CLOCK_BOOTTIME:
  case CLOCK_REALTIME_ALARM:
  case CLOCK_BOOTTIME_ALARM:
  case CLOCK_TAI:
    return true;
  default:
    return false;
  }
}

} // namespace

COPSE_REPLACES int clock_gettime(clockid_t clock, timespec *to) noexcept {
  const bool isProcessor = clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
  if (isReal(COPSE_CALLER) || (!isProcessor && !tellsTime(clock))) {
    COPSE_REAL(clock_gettime);
    return real(clock, to);
  }
  *to = timespecOf(isProcessor ? processorTime(clock) : shownBy(clock));
  return 0;
}

COPSE_REPLACES int gettimeofday(timeval *to, void *zone) noexcept {
  if (isReal(COPSE_CALLER) || zone != nullptr) {
    COPSE_REAL(gettimeofday);
    const int result = real(to, zone);
    if (zone == nullptr || isReal(COPSE_CALLER))
      return result;
  }
  const std::int64_t time = shownBy(CLOCK_REALTIME);
  *to = {time / kNsPerS, time % kNsPerS / kNsPerUs};
  return 0;
}

COPSE_REPLACES time_t time(time_t *to) noexcept {
  const std::int64_t time =
      isReal(COPSE_CALLER) ? realTime(CLOCK_REALTIME_COARSE) : shownBy(CLOCK_REALTIME);
  if (to != nullptr)
    *to = time / kNsPerS;
  return time / kNsPerS;
}

COPSE_REPLACES int timespec_get(timespec *to, int base) noexcept {
  if (isReal(COPSE_CALLER) || base != TIME_UTC) {
    COPSE_REAL(timespec_get);
    return real(to, base);
  }
  *to = timespecOf(shownBy(CLOCK_REALTIME));
  return base;
}

COPSE_REPLACES clock_t clock() noexcept {
  const std::int64_t time = isReal(COPSE_CALLER) ? realTime(CLOCK_PROCESS_CPUTIME_ID)
                                                 : processorTime(CLOCK_PROCESS_CPUTIME_ID);
  return time / (kNsPerS / CLOCKS_PER_SEC);
}

COPSE_REPLACES clock_t times(tms *to) noexcept {
  COPSE_REAL(times);
  const clock_t result = real(to);
  if (isReal(COPSE_CALLER))
    return result;
  const std::int64_t tick = kNsPerS / ::sysconf(_SC_CLK_TCK);
  if (to != nullptr) {
    to->tms_utime = processorTime(CLOCK_PROCESS_CPUTIME_ID) / tick;
    to->tms_stime = 0;
  }
  return shownBy(CLOCK_MONOTONIC) / tick;
}

// libstdc++ asks the C library for the time, on behalf of Copse and of the program alike. Only here
// is it known which of them has asked.
COPSE_REPLACES std::int64_t copse_steady_clock_now() asm("_ZNSt6chrono3_V212steady_clock3nowEv");
std::int64_t copse_steady_clock_now() {
  return isReal(COPSE_CALLER) ? realTime(CLOCK_MONOTONIC) : shownBy(CLOCK_MONOTONIC);
}
COPSE_REPLACES std::int64_t copse_system_clock_now() asm("_ZNSt6chrono3_V212system_clock3nowEv");
std::int64_t copse_system_clock_now() {
  return isReal(COPSE_CALLER) ? realTime(CLOCK_REALTIME) : shownBy(CLOCK_REALTIME);
}
