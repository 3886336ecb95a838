#pragma once

#include <cstdint>
#include <ctime>
#include <pthread.h>

/// The time of a program that measures itself on emulated IPUs: it stands still while the emulator works, and advances by
/// what the device would have taken.
///
/// Times are nanoseconds since the process began, if nothing else is said.
namespace copse::program_clock {

/// Whether clocks are modelled at all. If not, nothing else here may be called.
bool isModelled();

/// Whether the code at \p caller has real time: that of libpoplar.so and of the libraries that work for it.
bool keepsReal(const void *caller);
/// Whether the code at \p caller is the interpreter of Python itself.
bool isPython(const void *caller);
/// Whether the code at \p caller is libstdc++.
bool isStandardLibrary(const void *caller);

/// Returns the program's time, which never decreases. A thread that asks again and again while nothing moves the clock
/// waits for it: then each question moves the clock on.
std::int64_t now();

/// Returns the processor's time of this process, or of the calling thread, on the program's clock.
std::int64_t processorTime(clockid_t clock);

/// Returns what a clock of the system shows at time 0 [ns].
std::int64_t origin(clockid_t clock);

/// The real CLOCK_MONOTONIC [ns].
std::int64_t realNow();

/// Returns how long to wait really until the clock has advanced by \p left.
std::int64_t realWait(std::int64_t left);

/// What a thread does that has really waited until it took \p deadline for reached.
enum class Waited : std::uint8_t {
  Enough,
  TooShort, ///< the clock stood still meanwhile
};
/// Where the host takes no time, a wait that is over moves the clock to its deadline.
Waited afterWait(std::int64_t deadline);

/// Sleeps until the program's clock is at \p deadline, or, in a callback or while one is under way, for as long as that
/// would really take.
/// \returns 0, or EINTR after a signal
int sleepUntil(std::int64_t deadline);

/// A thread's wait at a condition until \p deadline: when a run moves the clock past it, the condition is notified.
class ConditionWait {
public:
  ConditionWait(pthread_cond_t *condition, std::int64_t deadline);
  ~ConditionWait();
  ConditionWait(const ConditionWait &) = delete;
  ConditionWait &operator=(const ConditionWait &) = delete;

private:
  friend void notifyWaits(std::int64_t);
  pthread_cond_t *condition_;
  std::int64_t deadline_;
  ConditionWait *next_, **link_;
};

} // namespace copse::program_clock
