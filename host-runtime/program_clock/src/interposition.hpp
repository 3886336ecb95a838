#pragma once

#include "modelled_time.hpp"
#include "real_functions.hpp"

#include <cstdint>
#include <ctime>

/// Names shared by the functions that replace functions of the C and C++ libraries.
namespace copse::program_clock {

inline constexpr std::int64_t kNsPerS = 1'000'000'000, kNsPerMs = 1'000'000, kNsPerUs = 1000;

/// Returns true if a call from the code at \p caller is answered in real time.
inline bool isReal(const void *caller) { return !isModelled() || keepsReal(caller); }

inline timespec timespecOf(std::int64_t time) { return {time / kNsPerS, time % kNsPerS}; }

/// Returns what the system's clock shows [ns].
inline std::int64_t realTime(clockid_t clock) {
  COPSE_REAL(clock_gettime);
  timespec at{};
  real(clock, &at);
  return at.tv_sec * kNsPerS + at.tv_nsec;
}

} // namespace copse::program_clock

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define COPSE_REPLACES extern "C" __attribute__((visibility("default")))
/// The return address of the function that contains this.
#define COPSE_CALLER __builtin_return_address(0)
// NOLINTEND(cppcoreguidelines-macro-usage)
