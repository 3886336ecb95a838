#include "bounds.hpp"

#include <cmath>
#include <limits>
#include <poplar/IeeeHalf.hpp>

namespace poprand {
namespace {

poplar::IeeeHalf nextHalf(poplar::IeeeHalf x, bool up) {
  const std::uint16_t bits = x.bit();
  if ((bits & 0x7FFF) == 0)
    return poplar::IeeeHalf::fromBits(up ? 0x0001 : 0x8001);
  const bool negative = (bits & 0x8000) != 0;
  return poplar::IeeeHalf::fromBits(
      static_cast<std::uint16_t>(negative != up ? bits + 1 : bits - 1));
}

} // namespace

float leastNotBelow(const poplar::Type &type, double x) {
  const auto nearest = static_cast<float>(x);
  if (type == poplar::HALF) {
    const poplar::IeeeHalf half(nearest);
    return static_cast<double>(static_cast<float>(half)) < x ? nextHalf(half, true) : half;
  }
  return static_cast<double>(nearest) < x
             ? std::nextafter(nearest, std::numeric_limits<float>::infinity())
             : nearest;
}

float greatestNotAbove(const poplar::Type &type, double x) { return -leastNotBelow(type, -x); }

} // namespace poprand
