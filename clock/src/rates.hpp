#pragma once

#include "wire/ids.hpp"

#include <cstdint>

namespace copse::clock {

/// Returns the modelled cycles that \p bytes take at \p bytesPerSecond, rounded up. The arithmetic
/// is exact; both rates are rounded to whole numbers first.
wire::Cycles cyclesOfBytes(std::uint64_t bytes, double bytesPerSecond, double clockHz);

/// Returns the modelled cycles of \p times times \p seconds (to the picosecond), rounded up.
wire::Cycles cyclesOfSeconds(double seconds, std::uint64_t times, double clockHz);

} // namespace copse::clock
