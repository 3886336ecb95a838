#pragma once

#include <cstdint>

/// The clock that a host program sees (docs/modelled-clock.md). libcopse_clock.so, which is loaded
/// before the program, implements it; libpoplar.so reports what the device does.
namespace copse::program_clock {

/// The interface of libcopse_clock.so. The interface is a table of functions, because libpoplar.so
/// does not link with that library, which most processes do not load.
///
/// All times are nanoseconds that the program's clocks have advanced since the process began. Calls
/// of the device may overlap and nest; during such a call, the clocks advance only as the device
/// reports.
///
/// Thread: any.
struct Interface {
  static constexpr std::uint32_t kVersion = 2;
  /// The symbol, in libcopse_clock.so, of a function that returns the table; null if the clocks are
  /// real ones.
  static constexpr const char *kSymbol = "copse_program_clock";
  using Get = const Interface *(*)();

  std::uint32_t version;
  /// Begins a call in which the device works for the program.
  /// \returns the time
  std::int64_t (*begin)();
  /// Advances the clocks to \p time, if they are not there yet.
  void (*reach)(std::int64_t time);
  /// Ends a call at \p time: like reach(), and then the clocks advance with the host again.
  /// \param device  the part of the call that the device took, for the summary
  void (*end)(std::int64_t time, std::int64_t device);
  /// Reports that the calling thread enters a callback of the program, or leaves it.
  void (*enterCallback)();
  void (*leaveCallback)();
  /// Gives real time to the library or program that contains \p code, and to the libraries that
  /// work for it.
  void (*keepReal)(const void *code);
  /// Returns the program's CLOCK_MONOTONIC [ns].
  std::int64_t (*steady)();
  /// Returns the program's CLOCK_REALTIME when the process began [ns].
  std::int64_t (*dateOfBegin)();
};

} // namespace copse::program_clock
