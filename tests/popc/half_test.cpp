#include "tile_memory.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace copse::popc {
namespace {

/// Returns the nearest even half, computed from the float's bits without any hardware conversion.
/// Saturates like the tile.
std::uint16_t expectedHalf(float x) {
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double magnitude = std::fabs(static_cast<double>(x));
  if (magnitude >= 65504.0)
    return static_cast<std::uint16_t>(sign | 0x7BFF);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int unit = std::max(exponent - 11, -24); // weight of the last place
  const double places = std::nearbyint(std::ldexp(magnitude, -unit));
  const double rounded = std::ldexp(places, unit);
  if (rounded < std::ldexp(1.0, -14))
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::ldexp(rounded, 24)));
  std::frexp(rounded, &exponent);
  const auto mantissa = static_cast<unsigned>(std::ldexp(rounded, 11 - exponent)) & 0x3FF;
  return static_cast<std::uint16_t>(sign | static_cast<unsigned>(exponent + 14) << 10 | mantissa);
}

class Half : public ::testing::Test {
protected:
  std::vector<std::uint16_t> mapped(const std::string &expression, const std::vector<float> &x) {
    const test::OpenModule module(
        test::compiled("#include <cmath>\nclass V : public Vertex { public: "
                       "Input<Vector<float>> x; "
                       "Output<Vector<half>> y; bool compute() {\n"
                       "for (unsigned i = 0; i < x.size(); ++i) y[i] = " +
                           expression + "; return true; } };",
                       Architecture::Ipu2));
    test::TileMemory tile(21);
    const auto count = static_cast<std::uint32_t>(x.size());
    const auto y = tile.place(std::vector<std::uint16_t>(x.size()));
    test::VertexState state(tile, module.vertex("V"));
    state.span("x", tile.place(x), count).span("y", y, count);
    module.entry("V")(state.native(), 0);
    return tile.read<std::uint16_t>(y, x.size());
  }
  test::OwnCache cache_;
};

TEST_F(Half, RoundsFloatsToNearestEven) {
  std::vector<float> x{0.0f, -0.0f, 1.0f,  2049.0f,  2051.0f,  65504.0f, 65519.0f,  65520.0f,
                       1e9f, -1e9f, 6e-8f, 2.98e-8f, 2.99e-8f, 6.1e-5f,  -3.14159f, 0.1f};
  for (std::uint32_t bits = 0x33000000; bits < 0x47800000; bits += 0x12345)
    x.push_back(std::bit_cast<float>(bits));
  const auto y = mapped("x[i]", x);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(y[i], expectedHalf(x[i])) << x[i];
}

TEST_F(Half, RoundsAfterEveryOperation) {
  std::vector<float> x;
  for (int i = 1; i < 400; ++i)
    x.push_back(static_cast<float>(i) * 0.37f);
  const auto y = mapped("half(x[i]) * half(x[i]) + half(1.5f)", x);
  const auto value = [](std::uint16_t bits) { // normal numbers only
    return std::ldexp(1.0f + static_cast<float>(bits & 0x3FF) / 1024.0f, (bits >> 10) - 15);
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float h = value(expectedHalf(x[i]));
    EXPECT_EQ(y[i], expectedHalf(value(expectedHalf(h * h)) + 1.5f)) << x[i];
  }
}

TEST_F(Half, ArithmeticNeverGivesAnInfinity) {
  EXPECT_EQ(mapped("half(60000.0f) + half(x[i])", {60000.0f}).front(), 0x7BFF);
  EXPECT_EQ(mapped("-half(60000.0f) * half(x[i])", {60000.0f}).front(), 0xFBFF);
}

TEST_F(Half, PreservesNaN) {
  const auto y = mapped("x[i]", {std::nanf("")}).front();
  EXPECT_EQ(y & 0x7C00, 0x7C00);
  EXPECT_NE(y & 0x03FF, 0);
}

TEST_F(Half, LimitsMayBeInfinite) {
  EXPECT_EQ(mapped("std::numeric_limits<half>::infinity()", {0.0f}).front(), 0x7C00);
  EXPECT_EQ(mapped("-std::numeric_limits<half>::infinity()", {0.0f}).front(), 0xFC00);
  EXPECT_EQ(mapped("std::numeric_limits<half>::max()", {0.0f}).front(), 0x7BFF);
}

TEST_F(Half, CountsUpAndDown) {
  EXPECT_EQ(mapped("[&] { half h = x[i]; return h++ - half(h--) + h; }()", {4.0f}).front(), 0x4200);
}

/// An expression in a codelet, and its value for h = 2.5.
const struct Written {
  const char *expression;
  float expected;
} kWritten[] = {
    {"h", 2.5f},
    {"-h", -2.5f},
    {"+h", 2.5f},
    {"h + h * h - h / half(0.5f)", 3.75f},
    {"h * 2", 5},
    {"3 - h", 0.5f},
    {"1.0f * h", 2.5f},
    {"float(h) + 0.125f", 2.625f},
    {"(half)0.1f", 0.099975586f},
    {"half(2049)", 2048},
    {"static_cast<int>(h)", 2},
    {"static_cast<unsigned>(h) / 2", 1},
    {"h < half(3) && h <= 2.5f && h > 2 && 3 >= h", 1},
    {"h == half(2.5f) && !(h != 2.5f)", 1},
    {"(c += h, c -= 1, c *= 2, c /= half(4), c)", 2},
    {"(c = 3, ++c, c++, c)", 5},
    {"(c = h > 2 ? h : half(0), c)", 2.5f},
    {"std::max(h, half(3))", 3},
    {"std::min<half>(h, 1.5f)", 1.5f},
    {"std::sqrt(float(h) * 10)", 5},
    {"bool(h) && !half(0)", 1},
    {"(std::is_same<decltype(h + h), half>::value)", 1},
    {"(std::is_same<decltype(1.0f * h), float>::value)", 1},
    {"std::numeric_limits<half>::epsilon() * 1024", 1},
    {"std::numeric_limits<half>::lowest() + 65000", -512},
    {"sizeof(half)", 2},
};

TEST_F(Half, IsWrittenAsANumber) {
  std::string all = "[&]() -> float { const half h = 2.5f; half c = h; switch (i) {\n";
  for (std::size_t i = 0; i < std::size(kWritten); ++i)
    all += "case " + std::to_string(i) + ": return " + kWritten[i].expression + ";\n";
  const auto y = mapped(all + "} return c; }()", std::vector<float>(std::size(kWritten)));
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(y[i], expectedHalf(kWritten[i].expected)) << kWritten[i].expression;
}

/// On CPU targets, half is another name of float.
class HalfOfCpu : public ::testing::Test {
protected:
  std::vector<float> mapped(const std::string &expression, const std::vector<float> &x) {
    const test::OpenModule module(
        test::compiled("template <class T> static T relu(T x) { return x > 0 ? x : 0; }\n"
                       "class V : public Vertex { public: Input<Vector<half>> x; "
                       "Output<Vector<half>> y; bool compute() {\n"
                       "for (unsigned i = 0; i < x.size(); ++i) y[i] = " +
                           expression + "; return true; } };",
                       Architecture::Cpu));
    test::TileMemory tile(32);
    const auto count = static_cast<std::uint32_t>(x.size());
    const auto y = tile.place(std::vector<float>(x.size()));
    test::VertexState state(tile, module.vertex("V"));
    state.span("x", tile.place(x), count).span("y", y, count);
    module.entry("V")(state.native(), 0);
    return tile.read<float>(y, x.size());
  }
  test::OwnCache cache_;
};

TEST_F(HalfOfCpu, MayBeMixedWithAFloatInAConditional) {
  const std::vector<float> x{-2.0f, 0.0f, 3.5f};
  EXPECT_EQ(mapped("x[i] > 0 ? x[i] : 1.25f", x), (std::vector<float>{1.25f, 1.25f, 3.5f}));
  EXPECT_EQ(mapped("relu(x[i])", x), (std::vector<float>{0.0f, 0.0f, 3.5f}));
  EXPECT_EQ(mapped("i == 0 ? 7 : i == 1 ? half(0.1f) : -1.0", x),
            (std::vector<float>{7.0f, 0.1f, -1.0f}));
}

TEST_F(HalfOfCpu, KeepsErrorsWithOtherReasons) {
  EXPECT_THROW(mapped("x[i] > 0 ? x[i] : nobody", {1.0f}), CompileError);
}

TEST_F(HalfOfCpu, HasTwoBytesInASourceThatDependsOnThat) {
  const Module module =
      test::compiled("class V : public Vertex { public: Input<half> x; Output<unsigned short> "
                     "bits; bool compute() {\n"
                     "static_assert(sizeof(half) == sizeof(unsigned short), \"bits of a half\");\n"
                     "const half value = *x; std::memcpy(&*bits, &value, 2); return true; } };",
                     Architecture::Cpu);
  ASSERT_EQ(module.vertices.size(), 1u);
  EXPECT_EQ(module.vertices[0].fields[0].elementBytes, 2u);
}

/// Halves of two bytes have arithmetic of their own; the divisor of floats is not known at compile
/// time.
TEST_F(HalfOfCpu, DividesFloatsEvenWithTwoBytes) {
  const test::OpenModule module(
      test::compiled("class V : public Vertex { public: Input<Vector<float>> x; "
                     "Output<Vector<float>> y; bool compute() {\n"
                     "static_assert(sizeof(half) == 2, \"bits of a half\");\n"
                     "for (unsigned i = 0; i + 1 < x.size(); ++i)\n"
                     "  y[i] = x[i] / x[i + 1] + float(half(x[i]) / half(x[i + 1]));\n"
                     "return true; } };",
                     Architecture::Cpu));
  test::TileMemory tile(33);
  const auto y = tile.place(std::vector<float>(3));
  test::VertexState state(tile, module.vertex("V"));
  state.span("x", tile.place(std::vector<float>{1, 2, 8, -4}), 4).span("y", y, 3);
  module.entry("V")(state.native(), 0);
  EXPECT_EQ(tile.read<float>(y, 3), (std::vector<float>{1, 0.5f, -4}));
}

} // namespace
} // namespace copse::popc
