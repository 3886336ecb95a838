// Tests the device headers in the form that a CPU target's compiler sees: they are plain C++.
#include <gtest/gtest.h>

#include <cmath>
#include <ipu_vector_math>
#include <poplar/Vertex.hpp>

namespace {

static_assert(sizeof(poplar::Input<float>) == 4 && sizeof(poplar::Vector<int>) == 8);
static_assert(sizeof(half) == 4, "a float in disguise on CPU targets");
static_assert(!std::is_same<half, float>::value, "but a type of its own");

TEST(VectorMath, WorksElementByElement) {
  const float2 x = {4.0f, 9.0f};
  const float2 roots = ipu::sqrt(x);
  EXPECT_FLOAT_EQ(roots[0], 2.0f);
  EXPECT_FLOAT_EQ(roots[1], 3.0f);
  const half4 h = {half(1), half(-2), half(3), half(-4)};
  const float2 pairs = ipu::sum(ipu::fabs(h));
  EXPECT_FLOAT_EQ(pairs[0], 3.0f);
  EXPECT_FLOAT_EQ(pairs[1], 7.0f);
  EXPECT_FLOAT_EQ(ipu::clamp(5.0f, 0.0f, 1.0f), 1.0f);
}

TEST(VectorMath, HasNamesWithTheTypeInFront) {
  const float4 x = {1.0f, 4.0f, 9.0f, 16.0f}, y = {2.0f, 2.0f, 2.0f, 2.0f};
  EXPECT_FLOAT_EQ(float4_sqrt(x)[3], 4.0f);
  EXPECT_FLOAT_EQ(float4_fmax(x, y)[0], 2.0f);
  EXPECT_FLOAT_EQ(float4_fma(x, y, y)[1], 10.0f);
  EXPECT_FLOAT_EQ(float4_sum(x), 30.0f);
  const half2 h = {half(1), half(-2)}, zero = {half(0), half(0)};
  EXPECT_FLOAT_EQ(float(half2_fmin(h, zero)[1]), -2.0f);
  EXPECT_FLOAT_EQ(half2_sum(half2_fabs(h)), 3.0f);
}

/// One pair limits all elements, as in the tile's instruction.
TEST(VectorMath, ClampsToAPairOfLimits) {
  const float2 limits = {-1.0f, 2.0f}, x = {-5.0f, 1.5f};
  EXPECT_FLOAT_EQ(ipu::clamp(7.0f, limits), 2.0f);
  EXPECT_FLOAT_EQ(ipu::clamp(x, limits)[0], -1.0f);
  EXPECT_FLOAT_EQ(ipu::clamp(x, limits)[1], 1.5f);
  EXPECT_FLOAT_EQ(ipu::clamp(3.0f, float2{2.0f, 1.0f}), 1.0f) << "the greatest is looked at first";
  EXPECT_FLOAT_EQ(ipu::clamp(0.5f, float2{2.0f, 1.0f}), 2.0f);
  EXPECT_TRUE(std::isnan(ipu::clamp(0.5f, float2{NAN, 1.0f})));
  const half2 halves = {half(-1), half(2)};
  const half4 h = {half(-3), half(0.5f), half(3), half(2)};
  const float expected[4] = {-1.0f, 0.5f, 2.0f, 2.0f};
  for (int i = 0; i < 4; ++i)
    EXPECT_FLOAT_EQ(float(ipu::clamp(h, halves)[i]), expected[i]);
  EXPECT_FLOAT_EQ(float(ipu::clamp(half2{half(-3), half(3)}, halves)[0]), -1.0f);
}

TEST(HalfLimits, AreThoseOfBinary16) {
  EXPECT_EQ(float(std::numeric_limits<half>::max()), 65504.0f);
  EXPECT_EQ(float(std::numeric_limits<half>::lowest()), -65504.0f);
  EXPECT_EQ(float(std::numeric_limits<half>::epsilon()), 0x1p-10f);
  EXPECT_EQ(float(std::numeric_limits<half>::denorm_min()), 0x1p-24f);
}

TEST(VectorMath, ComparisonsOfHalvesGiveMasks) {
  const half2 a = {half(1), half(5)}, b = {half(2), half(2)};
  const short2 less = a < b;
  EXPECT_EQ(less[0], -1);
  EXPECT_EQ(less[1], 0);
}

} // namespace
