#include "poplar/IeeeHalf.hpp"
#include "poplar/Target.hpp"
#include "types/half_conversion.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace {

using poplar::Target;

/// Returns the value of a half, from the definition of binary16.
double valueOf(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31)
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  return exponent == 0 ? sign * std::ldexp(fraction, -24)
                       : sign * std::ldexp(1024 + fraction, exponent - 25);
}

/// Returns the nearest half by search: the finite halves are ascending in their bits, and 65536
/// stands for infinity.
std::uint16_t nearest(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (size >= 65520)
    return sign | 0x7C00;
  std::uint16_t low = 0, high = 0x7C00; // valueOf(low) <= size < valueOf(high)
  while (high - low > 1) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    (valueOf(middle) <= size ? low : high) = middle;
  }
  const double above = high == 0x7C00 ? 65536 : valueOf(high);
  const double down = size - valueOf(low), up = above - size;
  const bool takeHigh = up < down || (up == down && (low & 1));
  return sign | (takeHigh ? high : low);
}

Target mk2() { return Target::createIPUTarget(1, "ipu2"); }

std::uint16_t encode(float value) {
  std::uint16_t bits = 0;
  copyFloatToDeviceHalf(mk2(), &value, &bits, 1);
  return bits;
}

std::vector<std::uint16_t> allHalves() {
  std::vector<std::uint16_t> all(65536);
  for (std::uint32_t i = 0; i != 65536; ++i)
    all[i] = static_cast<std::uint16_t>(i);
  return all;
}

/// Returns floats of every kind, including those around every half and every tie between halves.
std::vector<float> interestingFloats() {
  std::vector<float> floats;
  std::mt19937 random(1);
  for (int i = 0; i != 500'000; ++i)
    floats.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  for (std::uint32_t h = 0; h != 0x7C00; ++h) {
    const double low = valueOf(static_cast<std::uint16_t>(h));
    const double high = h == 0x7BFF ? 65536 : valueOf(static_cast<std::uint16_t>(h + 1));
    for (const double centre : {low, (low + high) / 2})
      for (const float sign : {1.0f, -1.0f}) {
        const float f = sign * static_cast<float>(centre);
        floats.push_back(f);
        floats.push_back(std::nextafter(f, 1e30f));
        floats.push_back(std::nextafter(f, -1e30f));
      }
  }
  return floats;
}

TEST(HalfConversion, EveryPatternToFloatAndBack) {
  const auto halves = allHalves();
  std::vector<float> floats(halves.size());
  copyDeviceHalfToFloat(mk2(), halves.data(), floats.data(), halves.size());
  std::vector<std::uint16_t> back(halves.size());
  copyFloatToDeviceHalf(mk2(), floats.data(), back.data(), floats.size());
  for (std::size_t i = 0; i != halves.size(); ++i) {
    const double expected = valueOf(halves[i]);
    if (std::isnan(expected)) {
      const std::uint32_t sign = (halves[i] & 0x8000u) << 16;
      EXPECT_EQ(std::bit_cast<std::uint32_t>(floats[i]), 0x7FC00000u | sign) << i;
      EXPECT_EQ(back[i], (halves[i] & 0x8000u) | 0x7E00) << i;
      continue;
    }
    EXPECT_EQ(floats[i], expected) << i;
    EXPECT_EQ(back[i], halves[i]) << i;
  }
}

TEST(HalfConversion, FloatsAreRoundedToTheNearestHalf) {
  const auto floats = interestingFloats();
  std::vector<std::uint16_t> halves(floats.size());
  copyFloatToDeviceHalf(mk2(), floats.data(), halves.data(), floats.size());
  for (std::size_t i = 0; i != floats.size(); ++i) {
    if (std::isnan(floats[i]))
      ASSERT_TRUE(std::isnan(valueOf(halves[i]))) << i;
    else
      ASSERT_EQ(halves[i], nearest(floats[i])) << floats[i];
  }
}

TEST(HalfConversion, PortableAndFastPathsAgree) {
  const auto floats = interestingFloats();
  std::vector<std::uint16_t> fast(floats.size());
  copse::types::floatToHalf(floats.data(), fast.data(), floats.size());
  for (std::size_t i = 0; i != floats.size(); ++i)
    ASSERT_EQ(poplar::IeeeHalf(floats[i]).bit(), fast[i]) << floats[i];
  const auto halves = allHalves();
  std::vector<float> wide(halves.size());
  copse::types::halfToFloat(halves.data(), wide.data(), halves.size());
  for (std::size_t i = 0; i != halves.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(float(poplar::IeeeHalf::fromBits(halves[i]))),
              std::bit_cast<std::uint32_t>(wide[i]));
}

TEST(HalfConversion, DoublesAreRoundedOnce) {
  // A number just above a tie, which becomes a tie once it is a float.
  const double aboveTie = 1 + std::ldexp(1, -11) + std::ldexp(1, -40);
  EXPECT_EQ(copse::types::doubleToHalf(aboveTie), 0x3C01);
  EXPECT_EQ(copse::types::doubleToHalf(-aboveTie), 0xBC01);
  std::mt19937_64 random(2);
  for (std::uint32_t h = 0; h != 0x7BFF; ++h) {
    const double tie =
        (valueOf(static_cast<std::uint16_t>(h)) + valueOf(static_cast<std::uint16_t>(h + 1))) / 2;
    for (const double d : {tie, std::nextafter(tie, 1e9), std::nextafter(tie, -1e9)}) {
      ASSERT_EQ(copse::types::doubleToHalf(d), nearest(d)) << d;
      ASSERT_EQ(copse::types::doubleToHalf(-d), nearest(-d)) << d;
    }
  }
  EXPECT_EQ(copse::types::doubleToHalf(1e300), 0x7C00);
  EXPECT_EQ(copse::types::doubleToHalf(-1e-300), 0x8000);
}

TEST(HalfConversion, OverflowIsInfinity) {
  EXPECT_EQ(encode(65519.99f), 0x7BFF);
  EXPECT_EQ(encode(65520.0f), 0x7C00);
  EXPECT_EQ(encode(-1e30f), 0xFC00);
}

TEST(HalfConversion, NeedsNoAlignment) {
  alignas(8) char buffer[33] = {};
  const std::vector<float> ones(16, 1.0f);
  copyFloatToDeviceHalf(mk2(), ones.data(), buffer + 1, 16);
  std::vector<float> back(16);
  copyDeviceHalfToFloat(mk2(), buffer + 1, back.data(), 16);
  EXPECT_EQ(back, ones);
}

TEST(HalfConversion, CpuTargetKeepsFloats) {
  const Target cpu = Target::createCPUTarget();
  const float values[] = {1e30f, 0.1f};
  float device[2] = {};
  copyFloatToDeviceHalf(cpu, values, device, 2);
  EXPECT_EQ(std::memcmp(device, values, sizeof device), 0);
  double wide[2] = {};
  copyDeviceHalfToDouble(cpu, device, wide, 2);
  EXPECT_EQ(wide[1], 0.1f);

  std::uint16_t bits = 0;
  copyFloatToDeviceHalf(Target::createCPUTarget(true), values, &bits, 1);
  EXPECT_EQ(bits, 0x7C00);
}

TEST(HalfConversions, TakeADefaultTargetForHalvesOfTwoBytes) {
  const float source[] = {1.5f, -2};
  std::uint16_t halves[2] = {};
  poplar::copyFloatToDeviceHalf(Target(), source, halves, 2);
  EXPECT_EQ(halves[0], 0x3E00);
  double back[2] = {};
  poplar::copyDeviceHalfToDouble(Target(), halves, back, 2);
  EXPECT_EQ(back[1], -2);
}

} // namespace
