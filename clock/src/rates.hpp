#pragma once

#include "wire/ids.hpp"

#include <cstdint>

namespace copse::clock {

/// Modelled cycles that \p bytes take at \p bytesPerSecond, rounded up. Exact: both rates are taken
/// as whole numbers.
wire::Cycles cyclesOfBytes(std::uint64_t bytes, double bytesPerSecond, double clockHz);

/// Modelled cycles of \p times times \p seconds (to the picosecond), rounded up.
wire::Cycles cyclesOfSeconds(double seconds, std::uint64_t times, double clockHz);

} // namespace copse::clock
