#include <gtest/gtest.h>

#include <poplar/Graph.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/exceptions.hpp>

namespace {

using poplar::Tensor;
using Shape = std::vector<std::size_t>;

class BroadcastTest : public ::testing::Test {
protected:
  Tensor variable(Shape shape) { return graph_.addVariable(poplar::FLOAT, shape); }
  poplar::Graph graph_{poplar::Target::createCPUTarget()};
};

TEST_F(BroadcastTest, TwoTensorsGetTheirCommonShape) {
  Tensor a = variable({3, 1}), b = variable({2, 1, 4});
  poputil::broadcastToMatch(a, b);
  EXPECT_EQ(a.shape(), Shape({2, 3, 4}));
  EXPECT_EQ(b.shape(), Shape({2, 3, 4}));
}
TEST_F(BroadcastTest, ElementsRepeatAlongTheStretchedDimension) {
  const Tensor row = variable({3});
  Tensor a = row;
  poputil::broadcastToMatch(a, {2, 3});
  EXPECT_EQ(a[0], row);
  EXPECT_EQ(a[1], row);
}
TEST_F(BroadcastTest, ThreeTensorsGetTheirCommonShape) {
  Tensor a = variable({}), b = variable({2, 1}), c = variable({5});
  poputil::broadcastToMatch(a, b, c);
  EXPECT_EQ(a.shape(), Shape({2, 5}));
  EXPECT_EQ(b.shape(), Shape({2, 5}));
  EXPECT_EQ(c.shape(), Shape({2, 5}));
}
TEST_F(BroadcastTest, RanksAreMatchedWithDimensionsOfSizeOne) {
  Tensor a = variable({3}), b = variable({2, 4, 3});
  poputil::expandToMatchRanks(a, b);
  EXPECT_EQ(a.shape(), Shape({1, 1, 3}));
}
TEST_F(BroadcastTest, ADimensionOfSizeOneStretchesToNothing) {
  Tensor a = variable({1, 3}), b = variable({0, 3});
  poputil::broadcastToMatch(a, b);
  EXPECT_EQ(a.shape(), Shape({0, 3}));
}
TEST_F(BroadcastTest, ShapesThatDoNotFitAreAnError) {
  Tensor a = variable({2}), b = variable({3});
  EXPECT_FALSE(poputil::canBroadcastToMatch(a, b));
  try {
    poputil::broadcastToMatch(a, b);
    FAIL() << "shapes {2} and {3} have become one";
  } catch (const poputil::poplibs_error &e) {
    EXPECT_STREQ(e.what(), "cannot broadcast tensors of shapes {2} and {3} to a common shape");
    EXPECT_EQ(e.type, "poplibs_error");
  }
}
TEST_F(BroadcastTest, ATensorOfHigherRankThanTheShapeIsAnError) {
  Tensor a = variable({1, 2});
  EXPECT_THROW(poputil::broadcastToMatch(a, {2}), poputil::poplibs_error);
}

} // namespace
