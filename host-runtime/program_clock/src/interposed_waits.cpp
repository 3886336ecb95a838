// Replaces the functions of the C and C++ libraries that wait for a time by those that the program
// sees. An absolute time is on one of the program's clocks; the real wait lasts as long as the time
// that is left.
#include "interposition.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace copse::program_clock;

namespace {

/// Times that do not fit mean for ever.
std::int64_t nanoseconds(const timespec &time) {
  constexpr std::int64_t kLongest = INT64_MAX / kNsPerS / 4;
  return std::clamp(static_cast<std::int64_t>(time.tv_sec), -kLongest, kLongest) * kNsPerS +
         time.tv_nsec;
}

bool isValid(const timespec &time) { return time.tv_nsec >= 0 && time.tv_nsec < kNsPerS; }

/// Returns true if \p clock is one that a program can wait for.
bool isWaitable(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
         clock == CLOCK_TAI;
}

/// Returns the program's time at which \p clock shows \p time.
std::int64_t deadlineOf(clockid_t clock, const timespec &time) {
  return nanoseconds(time) - origin(clock);
}

/// Returns the real CLOCK_MONOTONIC at which a wait until \p deadline ends.
timespec realDeadline(std::int64_t deadline) {
  const std::int64_t left = std::max<std::int64_t>(deadline - now(), 0);
  return timespecOf(realNow() + realWait(left));
}

/// Repeats a real wait until the program's clock has reached \p deadline.
/// \param wait  waits until a real time; returns ETIMEDOUT when it comes
template <class Wait> int waitUntil(clockid_t clock, const timespec *until, const Wait &wait) {
  if (until == nullptr || !isValid(*until))
    return EINVAL;
  const std::int64_t deadline = deadlineOf(clock, *until);
  for (;;) {
    const timespec real = realDeadline(deadline);
    const int result = wait(&real);
    if (result != ETIMEDOUT || afterWait(deadline) == Waited::Enough)
      return result;
  }
}

/// Waits at a condition. A wait that ends too early is reported as spurious: its notification may
/// have come while the mutex was held, so the program must check.
int waitAt(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
           const timespec *until, const void *caller) {
  COPSE_REAL(pthread_cond_clockwait);
  if (until == nullptr || !isValid(*until))
    return EINVAL;
  const std::int64_t deadline = deadlineOf(clock, *until);
  const timespec realEnd = realDeadline(deadline);
  const ConditionWait wait(condition, deadline);
  const int result = real(condition, mutex, CLOCK_MONOTONIC, &realEnd);
  // Threads of Python wait for each other in this way, and check only the result.
  if (result != ETIMEDOUT || isPython(caller))
    return result;
  return afterWait(deadline) == Waited::Enough ? ETIMEDOUT : 0;
}

/// Returns the clock of a deadline that names none. A condition cannot be asked for its clock; but
/// no machine has been up for thirty years, and no date is before 2001.
clockid_t clockOf(const timespec *until) {
  return until->tv_sec < 1'000'000'000 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int failed(int error) {
  errno = error;
  return -1;
}

/// Sleeps until \p deadline.
/// \param left  receives the time that is left after a signal; may be null
/// \returns 0, or EINTR
int sleepTo(std::int64_t deadline, timespec *left) {
  const int result = sleepUntil(deadline);
  if (result != 0 && left != nullptr)
    *left = timespecOf(std::max<std::int64_t>(deadline - now(), 0));
  return result;
}

/// Waits for events, for at most \p time.
/// \param wait  waits for a real time; returns 0 if there was no event
template <class Wait> int waitForEvents(std::int64_t time, const Wait &wait) {
  const std::int64_t deadline = now() + time;
  const int result = wait(realWait(time));
  if (result == 0)
    afterWait(deadline);
  return result;
}

/// Returns whole milliseconds, rounded up.
int milliseconds(std::int64_t time) {
  return static_cast<int>(std::min<std::int64_t>((time + kNsPerMs - 1) / kNsPerMs, INT_MAX));
}

} // namespace

COPSE_REPLACES int nanosleep(const timespec *time, timespec *left) {
  if (isReal(COPSE_CALLER) || time == nullptr || !isValid(*time) || time->tv_sec < 0) {
    COPSE_REAL(nanosleep);
    return real(time, left);
  }
  const int error = sleepTo(now() + nanoseconds(*time), left);
  return error == 0 ? 0 : failed(error);
}

COPSE_REPLACES int clock_nanosleep(clockid_t clock, int flags, const timespec *time,
                                   timespec *left) {
  const bool isAbsolute = (flags & TIMER_ABSTIME) != 0;
  if (isReal(COPSE_CALLER) || !isWaitable(clock) || time == nullptr || !isValid(*time) ||
      time->tv_sec < 0) {
    COPSE_REAL(clock_nanosleep);
    return real(clock, flags, time, left);
  }
  return isAbsolute ? sleepTo(deadlineOf(clock, *time), nullptr)
                    : sleepTo(now() + nanoseconds(*time), left);
}

COPSE_REPLACES int usleep(useconds_t time) {
  if (isReal(COPSE_CALLER)) {
    COPSE_REAL(usleep);
    return real(time);
  }
  const int error = sleepTo(now() + time * kNsPerUs, nullptr);
  return error == 0 ? 0 : failed(error);
}

COPSE_REPLACES unsigned sleep(unsigned time) {
  if (isReal(COPSE_CALLER)) {
    COPSE_REAL(sleep);
    return real(time);
  }
  timespec left{};
  return sleepTo(now() + time * kNsPerS, &left) == 0
             ? 0
             : static_cast<unsigned>(left.tv_sec + (left.tv_nsec > 0 ? 1 : 0));
}

COPSE_REPLACES int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                          const timespec *until) {
  if (isReal(COPSE_CALLER)) {
    // Without a version, the symbol would belong to an old layout of conditions.
    COPSE_REAL(pthread_cond_clockwait);
    return real(condition, mutex, clockOf(until), until);
  }
  return waitAt(condition, mutex, clockOf(until), until, COPSE_CALLER);
}

COPSE_REPLACES int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                          clockid_t clock, const timespec *until) {
  if (isReal(COPSE_CALLER) || !isWaitable(clock)) {
    COPSE_REAL(pthread_cond_clockwait);
    return real(condition, mutex, clock, until);
  }
  return waitAt(condition, mutex, clock, until, COPSE_CALLER);
}

COPSE_REPLACES int sem_clockwait(sem_t *semaphore, clockid_t clock, const timespec *until) {
  COPSE_REAL(sem_clockwait);
  if (isReal(COPSE_CALLER) || !isWaitable(clock))
    return real(semaphore, clock, until);
  const int error = waitUntil(clock, until, [&](const timespec *end) {
    return real(semaphore, CLOCK_MONOTONIC, end) == 0 ? 0 : errno;
  });
  return error == 0 ? 0 : failed(error);
}

COPSE_REPLACES int sem_timedwait(sem_t *semaphore, const timespec *until) {
  COPSE_REAL(sem_clockwait);
  if (isReal(COPSE_CALLER))
    return real(semaphore, CLOCK_REALTIME, until);
  const int error = waitUntil(CLOCK_REALTIME, until, [&](const timespec *end) {
    return real(semaphore, CLOCK_MONOTONIC, end) == 0 ? 0 : errno;
  });
  return error == 0 ? 0 : failed(error);
}

/// Defines a lock with a deadline, NAME with a clock and OTHER without one, of a TYPE.
#define COPSE_TIMED_LOCK(NAME, OTHER, TYPE)                                                        \
  COPSE_REPLACES int NAME(TYPE *lock, clockid_t clock, const timespec *until) noexcept {           \
    COPSE_REAL(NAME);                                                                              \
    if (isReal(COPSE_CALLER) || !isWaitable(clock))                                                \
      return real(lock, clock, until);                                                             \
    return waitUntil(clock, until,                                                                 \
                     [&](const timespec *end) { return real(lock, CLOCK_MONOTONIC, end); });       \
  }                                                                                                \
  COPSE_REPLACES int OTHER(TYPE *lock, const timespec *until) noexcept {                           \
    COPSE_REAL(NAME);                                                                              \
    if (isReal(COPSE_CALLER))                                                                      \
      return real(lock, CLOCK_REALTIME, until);                                                    \
    return waitUntil(CLOCK_REALTIME, until,                                                        \
                     [&](const timespec *end) { return real(lock, CLOCK_MONOTONIC, end); });       \
  }

COPSE_TIMED_LOCK(pthread_mutex_clocklock, pthread_mutex_timedlock, pthread_mutex_t)
COPSE_TIMED_LOCK(pthread_rwlock_clockrdlock, pthread_rwlock_timedrdlock, pthread_rwlock_t)
COPSE_TIMED_LOCK(pthread_rwlock_clockwrlock, pthread_rwlock_timedwrlock, pthread_rwlock_t)

COPSE_REPLACES int poll(pollfd *files, nfds_t number, int time) {
  COPSE_REAL(poll);
  if (isReal(COPSE_CALLER) || time <= 0)
    return real(files, number, time);
  return waitForEvents(time * kNsPerMs,
                       [&](std::int64_t left) { return real(files, number, milliseconds(left)); });
}

COPSE_REPLACES int ppoll(pollfd *files, nfds_t number, const timespec *time,
                         const sigset_t *signals) {
  COPSE_REAL(ppoll);
  if (isReal(COPSE_CALLER) || time == nullptr || !isValid(*time) || time->tv_sec < 0)
    return real(files, number, time, signals);
  return waitForEvents(nanoseconds(*time), [&](std::int64_t left) {
    const timespec at = timespecOf(left);
    return real(files, number, &at, signals);
  });
}

COPSE_REPLACES int select(int number, fd_set *read, fd_set *write, fd_set *except, timeval *time) {
  COPSE_REAL(select);
  if (isReal(COPSE_CALLER) || time == nullptr || time->tv_sec < 0 || time->tv_usec < 0)
    return real(number, read, write, except, time);
  const std::int64_t all = nanoseconds({time->tv_sec, 0}) + time->tv_usec * kNsPerUs;
  const std::int64_t begin = now();
  const int result = waitForEvents(all, [&](std::int64_t left) {
    timeval at{left / kNsPerS, left % kNsPerS / kNsPerUs};
    return real(number, read, write, except, &at);
  });
  const std::int64_t left = std::max<std::int64_t>(all - (now() - begin), 0);
  *time = {left / kNsPerS, left % kNsPerS / kNsPerUs}; // like Linux
  return result;
}

COPSE_REPLACES int pselect(int number, fd_set *read, fd_set *write, fd_set *except,
                           const timespec *time, const sigset_t *signals) {
  COPSE_REAL(pselect);
  if (isReal(COPSE_CALLER) || time == nullptr || !isValid(*time) || time->tv_sec < 0)
    return real(number, read, write, except, time, signals);
  return waitForEvents(nanoseconds(*time), [&](std::int64_t left) {
    const timespec at = timespecOf(left);
    return real(number, read, write, except, &at, signals);
  });
}

COPSE_REPLACES int epoll_wait(int epoll, epoll_event *events, int most, int time) {
  COPSE_REAL(epoll_wait);
  if (isReal(COPSE_CALLER) || time <= 0)
    return real(epoll, events, most, time);
  return waitForEvents(time * kNsPerMs, [&](std::int64_t left) {
    return real(epoll, events, most, milliseconds(left));
  });
}

COPSE_REPLACES int epoll_pwait(int epoll, epoll_event *events, int most, int time,
                               const sigset_t *signals) {
  COPSE_REAL(epoll_pwait);
  if (isReal(COPSE_CALLER) || time <= 0)
    return real(epoll, events, most, time, signals);
  return waitForEvents(time * kNsPerMs, [&](std::int64_t left) {
    return real(epoll, events, most, milliseconds(left), signals);
  });
}

// std::future of libstdc++ waits in this way, at its system clock or its steady one.
namespace {

using FutexWait = bool(void *self, unsigned *word, unsigned value, bool ends, std::int64_t seconds,
                       std::int64_t nanoseconds);

/// Waits for a word of memory.
/// \param wait  waits until a time of the real \p clock
/// \returns true if the thread was woken
template <class Wait> bool waitForWord(clockid_t clock, const timespec &until, const Wait &wait) {
  const std::int64_t deadline = deadlineOf(clock, until);
  for (;;) {
    const std::int64_t left = std::max<std::int64_t>(deadline - now(), 0);
    if (wait(timespecOf(realTime(clock) + realWait(left))))
      return true;
    if (afterWait(deadline) == Waited::Enough)
      return false;
  }
}

/// Waits like the futex whose timeout is \p until. The standard library's semaphores, latches and
/// waits at atomic objects are such waits, in code of the program.
template <class Futex> long waitAtFutex(int operation, const timespec &until, const Futex &futex) {
  const clockid_t clock =
      (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  const bool isAbsolute = (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
  const std::int64_t deadline = isAbsolute ? deadlineOf(clock, until) : now() + nanoseconds(until);
  for (;;) {
    const std::int64_t left = realWait(std::max<std::int64_t>(deadline - now(), 0));
    const timespec end = timespecOf(isAbsolute ? realTime(clock) + left : left);
    const long result = futex(&end);
    if (result == 0 || errno != ETIMEDOUT || afterWait(deadline) == Waited::Enough)
      return result;
  }
}

} // namespace

// Six arguments arrive in the same registers, and at the same offset of the stack, however many
// were passed.
COPSE_REPLACES long copse_syscall(long number, long a, long b, long c, long d, long e,
                                  long f) noexcept asm("syscall");
long copse_syscall(long number, long a, long b, long c, long d, long e, long f) noexcept {
  using Syscall = long(long, long, long, long, long, long, long);
  static constinit RealFunction<Syscall> real("syscall");
  const bool isProgram = !isReal(COPSE_CALLER) && !isStandardLibrary(COPSE_CALLER);
  if (isProgram && number == SYS_clock_gettime)
    return clock_gettime(static_cast<clockid_t>(a), reinterpret_cast<timespec *>(b));
  const auto operation = static_cast<int>(b);
  const int command = operation & FUTEX_CMD_MASK;
  const auto *const until = reinterpret_cast<const timespec *>(d);
  if (!isProgram || number != SYS_futex || until == nullptr ||
      (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) || !isValid(*until))
    return real(number, a, b, c, d, e, f);
  return waitAtFutex(operation, *until, [&](const timespec *end) {
    return real(number, a, b, c, reinterpret_cast<long>(end), e, f);
  });
}

/// Replaces a function of the library.
/// \param NAME  our function
/// \param SYMBOL  the library's symbol
#define COPSE_FUTEX_WAIT(NAME, SYMBOL, CLOCK)                                                      \
  COPSE_REPLACES bool NAME(void *self, unsigned *word, unsigned value, bool ends,                  \
                           std::int64_t seconds, std::int64_t rest) asm(SYMBOL);                   \
  bool NAME(void *self, unsigned *word, unsigned value, bool ends, std::int64_t seconds,           \
            std::int64_t rest) {                                                                   \
    static constinit RealFunction<FutexWait> real(SYMBOL);                                         \
    if (isReal(COPSE_CALLER) || !ends)                                                             \
      return real(self, word, value, ends, seconds, rest);                                         \
    return waitForWord(CLOCK, {seconds, rest}, [&](const timespec &end) {                          \
      return real(self, word, value, true, static_cast<std::int64_t>(end.tv_sec),                  \
                  static_cast<std::int64_t>(end.tv_nsec));                                         \
    });                                                                                            \
  }

COPSE_FUTEX_WAIT(copse_futex_wait_until,
                 "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationI"
                 "lSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
                 CLOCK_REALTIME)
COPSE_FUTEX_WAIT(copse_futex_wait_until_steady,
                 "_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8du"
                 "rationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
                 CLOCK_MONOTONIC)
