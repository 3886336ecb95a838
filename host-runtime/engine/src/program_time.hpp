#pragma once

#include "wire/ids.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

/// Tells the program's clock (program_clock) what time the device takes. If the program has the
/// real clock, these functions do nothing.
namespace copse::engine {

/// Returns true if the program's clocks are modelled.
bool isProgramClockModelled();

/// Checks that the program's clocks are modelled if $COPSE_CLOCK requires it. With real clocks, the
/// program would report the emulator's time as the chip's.
/// \throws poplar::no_environment  if the clocks are real
void requireClockOfEnvironment();

/// Returns the date at which the program's clocks were at 0 [ns since 1970]; 0 if they are real.
/// Dates are common to all host programs.
std::int64_t dateOfProgramBegin();

/// Returns the time of the program's steady clock.
std::chrono::steady_clock::time_point programSteadyTime();

/// A call in which the device works for the program. The program's clocks advance by the device's
/// time, not by the emulator's.
class DeviceCall {
public:
  DeviceCall();
  /// Ends the call when the device has done its work, or at the time that a callback has seen.
  ~DeviceCall();
  DeviceCall(const DeviceCall &) = delete;
  DeviceCall &operator=(const DeviceCall &) = delete;

  /// Adds the time of the device's next piece of work [s].
  void take(double seconds);
  /// Says that the device has done all work so far at the program's time \p end [ns].
  void takeUntil(std::int64_t end);

  /// Returns the program's time at which the device has done all work so far [ns].
  std::int64_t time() const { return begin_ + taken_; }

private:
  std::int64_t begin_ = 0, taken_ = 0;
};

/// The times of a run, for callbacks in the middle of it.
struct RunTime {
  std::int64_t begin = 0; ///< the program's time [ns]
  wire::Cycles start;     ///< the device's time
  double clockHz = 1;

  /// Returns the program's time at a moment of the device [ns].
  std::int64_t at(wire::Cycles moment) const;
};

/// A callback of the program, on the calling thread. The program's clocks show the moment at which
/// the device called it, or a later one, and stand still.
class CallbackTime {
public:
  /// \param time  the program's time [ns]; nothing: the current time of its clocks
  explicit CallbackTime(std::optional<std::int64_t> time);
  ~CallbackTime();
  CallbackTime(const CallbackTime &) = delete;
  CallbackTime &operator=(const CallbackTime &) = delete;
};

} // namespace copse::engine
