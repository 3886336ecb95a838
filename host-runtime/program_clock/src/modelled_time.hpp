#pragma once

#include <cstdint>
#include <ctime>
#include <pthread.h>

/// The time of a program that measures itself on emulated IPUs: it stands still while the emulator
/// works, and advances by the time that the device would have taken.
///
/// Times are nanoseconds since the process began, unless stated otherwise.
namespace copse::program_clock {

/// Returns true if clocks are modelled at all. If not, no other function here may be called.
bool isModelled();

/// Returns true if the code at \p caller has real time: code of libpoplar.so and of the libraries
/// that work for it.
bool keepsReal(const void *caller);
/// Returns true if the code at \p caller is the Python interpreter itself.
bool isPython(const void *caller);
/// Returns true if the code at \p caller is libstdc++.
bool isStandardLibrary(const void *caller);

/// Returns the program's time, which never decreases. A thread that asks again and again while the
/// clock stands still is waiting for it: from then on, each question advances the clock.
std::int64_t now();

/// Returns the processor's time of this process, or of the calling thread, on the program's clock.
std::int64_t processorTime(clockid_t clock);

/// Returns what a clock of the system shows at time 0 [ns].
std::int64_t origin(clockid_t clock);

/// Returns the real CLOCK_MONOTONIC [ns].
std::int64_t realNow();

/// Returns the real time that must pass until the clock has advanced by \p left.
std::int64_t realWait(std::int64_t left);

/// The result of a real wait that should have reached a deadline.
enum class Waited : std::uint8_t {
  Enough,
  TooShort, ///< the clock stood still meanwhile
};
/// Decides whether a wait until \p deadline is over after its real time has passed. On a host that
/// takes no time, this advances the clock to the deadline.
Waited afterWait(std::int64_t deadline);

/// Sleeps until the program's clock is at \p deadline; in a callback, or while one is running, for
/// as long as that would really take.
/// \returns 0, or EINTR after a signal
int sleepUntil(std::int64_t deadline);

/// A thread's wait at a condition until \p deadline. When a run moves the clock past the deadline,
/// the condition is notified.
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
