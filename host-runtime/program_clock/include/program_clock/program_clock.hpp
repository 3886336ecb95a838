#pragma once

#include <cstdint>

/// The clock that a host program sees (docs/modelled-clock.md). libcopse_clock.so, which is loaded before the program,
/// has it; libpoplar.so says what the device does.
namespace copse::program_clock {

/// What libcopse_clock.so offers. A table of functions, because libpoplar.so does not link with that library: in most
/// processes it is not there.
///
/// All times are nanoseconds that the program's clocks have advanced since the process began. Calls of the device may
/// overlap and nest; while there is one, the clocks advance by what it says and by nothing else.
///
/// Thread: any.
struct Interface {
  static constexpr std::uint32_t kVersion = 1;
  /// The symbol, in libcopse_clock.so, of a function that returns the table; null if the clocks are real ones.
  static constexpr const char *kSymbol = "copse_program_clock";
  using Get = const Interface *(*)();

  std::uint32_t version;
  /// Begins a call in which the device works for the program.
  /// \returns the time
  std::int64_t (*begin)();
  /// Moves the clocks on to \p time, if they are not there yet.
  void (*reach)(std::int64_t time);
  /// Ends a call, at \p time: reach(), and then the clocks advance with the host again.
  /// \param device  how long the device took of it, for the summary
  void (*end)(std::int64_t time, std::int64_t device);
  /// The calling thread enters a callback of the program, and leaves it.
  void (*enterCallback)();
  void (*leaveCallback)();
  /// Gives the library or program that has \p code real time, and the libraries that work for it.
  void (*keepReal)(const void *code);
  /// The program's CLOCK_MONOTONIC [ns].
  std::int64_t (*steady)();
};

} // namespace copse::program_clock
