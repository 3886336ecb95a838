#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <popfloat/experimental/CastToHalf.hpp>
#include <popfloat/experimental/codelets.hpp>

namespace {

using popfloat::experimental::halfToSingle;
using popfloat::experimental::singleToHalf;

TEST(CastToHalf, InterpretsBitsAsNumbers) {
  EXPECT_EQ(halfToSingle(0x0000), 0.0f);
  EXPECT_TRUE(std::signbit(halfToSingle(0x8000)));
  EXPECT_EQ(halfToSingle(0x3C00), 1.0f);
  EXPECT_EQ(halfToSingle(0xC100), -2.5f);
  EXPECT_EQ(halfToSingle(0x7BFF), 65504.0f);
  EXPECT_EQ(halfToSingle(0x0400), 0x1p-14f);
  EXPECT_EQ(halfToSingle(0x0001), 0x1p-24f);
  EXPECT_EQ(halfToSingle(0x03FF), 0x3FFp-24f);
  EXPECT_EQ(halfToSingle(0xFC00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(halfToSingle(0x7C01)));
}

TEST(CastToHalf, PreservesEveryFiniteHalf) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
    if ((bits & 0x7C00) != 0x7C00) {
      EXPECT_EQ(singleToHalf(halfToSingle(static_cast<std::uint16_t>(bits))), bits);
    }
}

/// Numbers between each half and the next: below the middle, at it and above it.
TEST(CastToHalf, RoundsToTheNearestAndTiesToEven) {
  for (std::uint16_t bits = 0; bits < 0x7BFF; ++bits) {
    const std::uint16_t next = static_cast<std::uint16_t>(bits + 1);
    const float middle = (halfToSingle(bits) + halfToSingle(next)) / 2; // a float has it exactly
    EXPECT_EQ(singleToHalf(std::nextafter(middle, 0.0f)), bits) << middle;
    EXPECT_EQ(singleToHalf(middle), bits % 2 == 0 ? bits : next) << middle;
    EXPECT_EQ(singleToHalf(-std::nextafter(middle, 1e9f)), 0x8000 | next) << middle;
  }
}

TEST(CastToHalf, NumbersThatAreTooLargeSaturateOrAreNaN) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(singleToHalf(65519.996f), 0x7BFF);
  EXPECT_EQ(singleToHalf(65519.996f, true), 0x7BFF);
  for (const float large : {65520.0f, 1e9f, infinity}) {
    EXPECT_EQ(singleToHalf(large), 0x7BFF) << large;
    EXPECT_EQ(singleToHalf(-large), 0xFBFF) << large;
    EXPECT_TRUE(std::isnan(halfToSingle(singleToHalf(large, true)))) << large;
  }
  for (const bool nanoo : {false, true})
    EXPECT_TRUE(std::isnan(halfToSingle(singleToHalf(std::nanf(""), nanoo))));
}

} // namespace
