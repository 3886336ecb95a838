#include "processor/accumulators.hpp"
#include "processor/f16.hpp"
#include "processor/f8.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace copse::ipud::fp {
namespace {

/// Returns the value of a half, from its fields.
double valueOf(std::uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

/// Returns the nearest half of a number, by search in the ordered list of all.
std::uint16_t nearest(double value) {
  const double magnitude = std::fabs(value);
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (magnitude >= 65520)
    return sign | 0x7C00;
  std::uint16_t low = 0, high = 0x7BFF;
  while (low < high) { // the largest that is not above
    const auto middle = static_cast<std::uint16_t>((low + high + 1) / 2);
    if (valueOf(middle) <= magnitude)
      low = middle;
    else
      high = static_cast<std::uint16_t>(middle - 1);
  }
  const double below = magnitude - valueOf(low);
  const double above =
      (low == 0x7BFF ? 65536.0 : valueOf(static_cast<std::uint16_t>(low + 1))) - magnitude;
  const bool up = below > above || (below == above && (low & 1) != 0);
  return static_cast<std::uint16_t>(sign | (low + (up ? 1 : 0)));
}

bool isNumber(std::uint16_t half) { return (half & 0x7C00) != 0x7C00; }

TEST(HalfArithmetic, WidensEveryHalf) {
  for (unsigned h = 0; h < 0x10000; ++h)
    if (const auto half = static_cast<std::uint16_t>(h); isNumber(half)) {
      ASSERT_EQ(static_cast<double>(valueOf16(half)), valueOf(half)) << h;
    }
}

TEST(HalfArithmetic, RoundsEveryHalfAndItsNeighbours) {
  for (unsigned h = 0; h < 0x10000; ++h) {
    const auto half = static_cast<std::uint16_t>(h);
    if (!isNumber(half))
      continue;
    const float value = valueOf16(half);
    for (const float near : {value, std::nextafterf(value, 1e9F), std::nextafterf(value, -1e9F),
                             value * 1.00048828125F, value * 1.0004882F, value * 0.99975586F}) {
      if ((asBits(near) & kExponent32) == 0)
        continue; // counts as zero
      ASSERT_EQ(nearest16(near), nearest(static_cast<double>(near))) << h << " " << near;
    }
  }
}

/// Calls \p check with each half, paired with some others.
template <class Check> void forPairs(Check check) {
  std::mt19937 random(1);
  for (unsigned h = 0; h < 0x10000; ++h)
    for (int i = 0; i < 8; ++i)
      check(static_cast<std::uint16_t>(h), static_cast<std::uint16_t>(random()));
}

void expectSame(std::uint16_t got, double exact, std::uint32_t flags, std::uint16_t a,
                std::uint16_t b) {
  const std::uint16_t expected = nearest(exact);
  const bool overflows = (expected & 0x7FFF) == 0x7C00;
  ASSERT_EQ(got, overflows ? (expected & 0x8000) | 0x7BFF : expected) << a << " " << b;
  ASSERT_EQ(flags, overflows ? kOverflow : 0U) << a << " " << b;
}

TEST(HalfArithmetic, RoundsSumsAndProductsOnce) {
  forPairs([](std::uint16_t a, std::uint16_t b) {
    if (!isNumber(a) || !isNumber(b)) {
      std::uint32_t flags = 0;
      ASSERT_EQ(add16(a, b, 0, {}, flags), kFixedNaN16);
      ASSERT_EQ(flags, isInvalid16(a) || isInvalid16(b) ? kInvalid : 0U);
      return;
    }
    std::uint32_t flags = 0;
    const auto sum = add16(a, b, 0, {}, flags);
    expectSame(sum, valueOf(a) + valueOf(b), flags, a, b);
    flags = 0;
    const auto difference = sub16(a, b, 0, {}, flags);
    expectSame(difference, valueOf(a) - valueOf(b), flags, a, b);
    flags = 0;
    const auto product = mul16(a, b, 0, {}, flags);
    expectSame(product, valueOf(a) * valueOf(b), flags, a, b);
  });
}

TEST(HalfArithmetic, RoundsTranscendentalsCorrectly) {
  for (unsigned h = 0; h < 0x10000; ++h) {
    const auto half = static_cast<std::uint16_t>(h);
    if (!isNumber(half))
      continue;
    const double x = valueOf(half);
    std::uint32_t flags = 0;
    const auto e = exp16(half, {}, flags);
    expectSame(e, std::exp(x), flags, half, 0);
    flags = 0;
    const auto t = tanh16(half, {}, flags);
    expectSame(t, std::tanh(x), flags, half, 0);
    if (x > 0) {
      flags = 0;
      const auto l = ln16(half, {}, flags);
      expectSame(l, std::log(x), flags, half, 0);
    }
  }
}

TEST(HalfArithmetic, StochasticRoundingIsOneOfTheTwoNeighboursInProportion) {
  // A value a quarter above a half is rounded up about once in four times.
  Prng prng = Prng::seeded(5);
  const float value = valueOf16(0x3C00) + 0.25F * 0x1p-10F;
  int up = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const RandomBits bits = prng.advance();
    std::uint32_t flags = 0;
    const auto half = round16(asBits(value), static_cast<unsigned>(i % 4), {false, &bits}, flags);
    ASSERT_TRUE(half == 0x3C00 || half == 0x3C01);
    up += half == 0x3C01 ? 1 : 0;
  }
  EXPECT_NEAR(up, kDraws / 4, 300);
}

std::uint32_t flushedDenormal(float value) {
  const std::uint32_t b = asBits(value);
  return (b & kExponent32) == 0 ? b & kSign32 : b;
}

TEST(SingleArithmetic, AgreesWithTheProcessorButForDenormals) {
  std::mt19937 random(2);
  for (int i = 0; i < 1'000'000; ++i) {
    std::uint32_t a = random(), b = random();
    // Operands of similar size, so that sums lose digits and products come near the ends.
    if (i % 2 == 0)
      b = (b & 0x807FFFFF) | (a & 0x7F800000);
    if ((a & kExponent32) == kExponent32 || (b & kExponent32) == kExponent32)
      continue;
    const float x = asFloat(flushed(a)), y = asFloat(flushed(b));
    std::uint32_t flags = 0;
    const float sums[] = {x + y, x - y, x * y};
    const std::uint32_t got[] = {add32(a, b, flags), sub32(a, b, flags), mul32(a, b, flags)};
    for (int k = 0; k < 3; ++k)
      ASSERT_EQ(got[k], flushedDenormal(sums[k])) << std::hex << a << " " << b;
    if (y != 0) {
      ASSERT_EQ(div32(a, b, flags), flushedDenormal(x / y)) << std::hex << a << " " << b;
    }
    if (x >= 0) {
      ASSERT_EQ(sqrt32(a, flags), asBits(std::sqrt(x)));
    }
  }
}

TEST(SingleArithmetic, RoundsToTheSmallestNormal) {
  // Just below it: nearest even gives the smallest normal number, not zero.
  std::uint32_t flags = 0;
  EXPECT_EQ(mul32(asBits(0x1.fffffep-1F), 0x00800000, flags), 0x00800000U);
  EXPECT_EQ(mul32(asBits(0x1.fffffcp-1F), 0x00800000, flags), 0U);
}

TEST(DotProducts, AreExactAndRoundedOnce) {
  std::mt19937 random(3);
  for (int i = 0; i < 200'000; ++i) {
    std::uint16_t x[4], y[4];
    long double exact = 0; // 64 digits suffice where exponents are limited
    for (int k = 0; k < 4; ++k) {
      x[k] = static_cast<std::uint16_t>((random() & 0x83FF) | ((random() % 8 + 12) << 10));
      y[k] = static_cast<std::uint16_t>((random() & 0x83FF) | ((random() % 8 + 12) << 10));
      exact += static_cast<long double>(valueOf(x[k])) * static_cast<long double>(valueOf(y[k]));
    }
    std::uint32_t flags = 0;
    ASSERT_EQ(dot16(x, y, flags), static_cast<float>(exact));
  }
}

TEST(DotProducts, KeepDigitsThatADoubleWouldLose) {
  // 65504^2 hides 2^-48 from a double; the small product remains.
  const std::uint16_t x[] = {0x7BFF, 0x0001, 0xFBFF, 0}, y[] = {0x7BFF, 0x0001, 0x7BFF, 0};
  std::uint32_t flags = 0;
  EXPECT_EQ(dot16(x, y, flags), 0x1p-48F);
}

TEST(Quarters, RoundAsTheTablesSay) {
  const struct {
    float value;
    std::uint8_t f152, f143;
    std::uint32_t flags152, flags143;
  } cases[] = {{1.0F, 0x40, 0x40, 0, 0},     {-0.3F, 0xB9, 0xB2, 0, 0},
               {240.0F, 0x60, 0x7F, 0, 0},   {60000.0F, 0x7F, 0x7F, 4, 4},
               {0x1p-17F, 0x01, 0x00, 0, 0}, {0x1p-11F, 0x14, 0x00, 0, 0}};
  for (const auto &c : cases) {
    const auto half = static_cast<std::uint16_t>(nearest16(c.value));
    std::uint32_t flags = 0;
    EXPECT_EQ(round8(half, 0, QuarterFormat::F152, 0, {}, flags), c.f152) << c.value;
    EXPECT_EQ(flags, c.flags152) << c.value;
    flags = 0;
    EXPECT_EQ(round8(half, 0, QuarterFormat::F143, 0, {}, flags), c.f143) << c.value;
    EXPECT_EQ(flags, c.flags143) << c.value;
  }
}

TEST(Quarters, SurviveConversionToHalvesAndBack) {
  for (const auto format : {QuarterFormat::F152, QuarterFormat::F143})
    for (unsigned code = 0; code < 256; ++code) {
      if (code == kError8)
        continue;
      std::uint32_t flags = 0;
      const auto half = widen8(static_cast<std::uint8_t>(code), 0, format, {}, flags);
      EXPECT_EQ(round8(half, 0, format, 0, {}, flags), code);
      EXPECT_EQ(flags, 0U);
    }
}

} // namespace
} // namespace copse::ipud::fp
