#pragma once

#include "wire/ids.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

/// What the engine says to the clock that the program sees (program_clock). Where the program sees the real one, all of
/// this does nothing.
namespace copse::engine {

/// Whether the program's clocks are modelled.
bool isProgramClockModelled();

/// \throws poplar::no_environment if $COPSE_CLOCK wants that, and they are real: the program would print the emulator's
/// time for the chip's
void requireClockOfEnvironment();

/// The program's steady clock.
std::chrono::steady_clock::time_point programSteadyTime();

/// A call in which the device works for the program: the program's clocks advance by what the device takes, and not by what
/// the emulator takes.
class DeviceCall {
public:
  DeviceCall();
  /// Ends the call when the device has done what it takes, or what a callback has seen.
  ~DeviceCall();
  DeviceCall(const DeviceCall &) = delete;
  DeviceCall &operator=(const DeviceCall &) = delete;

  /// The device takes so long for the next thing [s].
  void take(double seconds);

  /// Returns the program's time at which the device has done what it takes so far [ns].
  std::int64_t time() const { return begin_ + taken_; }

private:
  std::int64_t begin_ = 0, taken_ = 0;
};

/// A run, for those who are called in the middle of it.
struct RunTime {
  std::int64_t begin = 0; ///< the program's time [ns]
  wire::Cycles start;     ///< the device's
  double clockHz = 1;

  /// Returns the program's time at a moment of the device [ns].
  std::int64_t at(wire::Cycles moment) const;
};

/// A callback of the program, on the calling thread: the program's clocks are at the moment at which the device called it, or
/// later, and stand still.
class CallbackTime {
public:
  /// \param time  of the program [ns]; none: where its clocks are
  explicit CallbackTime(std::optional<std::int64_t> time);
  ~CallbackTime();
  CallbackTime(const CallbackTime &) = delete;
  CallbackTime &operator=(const CallbackTime &) = delete;
};

} // namespace copse::engine
