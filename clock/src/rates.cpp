#include "rates.hpp"

#include <cmath>

namespace copse::clock {
namespace {

using Wide = unsigned __int128;

wire::Cycles scaleUp(Wide amount, Wide numerator, Wide denominator) {
  return {static_cast<std::uint64_t>((amount * numerator + denominator - 1) / denominator)};
}

Wide whole(double value) { return static_cast<Wide>(std::llround(value)); }

} // namespace

wire::Cycles cyclesOfBytes(std::uint64_t bytes, double bytesPerSecond, double clockHz) {
  return scaleUp(bytes, whole(clockHz), whole(bytesPerSecond));
}

wire::Cycles cyclesOfSeconds(double seconds, std::uint64_t times, double clockHz) {
  constexpr std::uint64_t kPicoseconds = 1'000'000'000'000;
  return scaleUp(times * whole(seconds * kPicoseconds), whole(clockHz), kPicoseconds);
}

} // namespace copse::clock
