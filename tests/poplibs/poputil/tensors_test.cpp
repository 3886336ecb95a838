#include <gtest/gtest.h>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

namespace {

using poplar::Tensor;
using Shape = std::vector<std::size_t>;

TEST(TensorViews, FactorsComeAfterAllQuotients) {
  poplar::Graph graph(poplar::Target::createCPUTarget());
  const Tensor t = graph.addVariable(poplar::FLOAT, {4, 6, 4});
  const Tensor factored = poputil::factorDims(t, {1, 2}, 0);
  EXPECT_EQ(factored.shape(), Shape({4, 3, 1, 2, 4}));
  EXPECT_EQ(factored[2][1][0][1], t[2][3]);
  EXPECT_EQ(poputil::unfactorDims(factored, 2, 0), t);
}
TEST(TensorViews, AFactorThatDoesNotDivideIsAnError) {
  poplar::Graph graph(poplar::Target::createCPUTarget());
  const Tensor t = graph.addVariable(poplar::FLOAT, {4, 6});
  EXPECT_THROW(poputil::factorDims(t, {3}), poputil::poplibs_error);
}
TEST(Values, PartitionsDifferByOne) {
  EXPECT_EQ(poputil::balancedPartition(8, 3), (std::vector<int>{3, 3, 2}));
}
TEST(Values, AHalfIsRoundedToNearestEven) {
  const poplar::Target target = poplar::Target::createIPUTarget(1, "ipu2");
  EXPECT_EQ(poputil::castToDeviceHalfValue(target, 1.0 + 1.0 / 2048), 1.0);
  EXPECT_TRUE(poputil::checkAccuracyWhenCast(target, 0.5, poplar::FLOAT, poplar::HALF, 1e-6));
  EXPECT_FALSE(poputil::checkAccuracyWhenCast(target, 0.1, poplar::FLOAT, poplar::HALF, 1e-6));
  EXPECT_TRUE(poputil::checkAccuracyWhenCast(target, 0.1, poplar::HALF, poplar::FLOAT, 0));
  EXPECT_THROW(poputil::checkAccuracyWhenCast(target, 1, poplar::INT, poplar::HALF, 0),
               poputil::poplibs_error);
}
TEST(TensorViews, ADuplicateHasAMappingAndACopy) {
  poplar::Graph graph(poplar::Target::createIPUTarget(1, 4, "ipu2"));
  const Tensor t = graph.addVariable(poplar::FLOAT, {4});
  graph.setTileMapping(t, 3);
  poplar::program::Sequence prog;
  const Tensor copy = poputil::duplicate(graph, t, prog);
  EXPECT_EQ(graph.getTileMapping(copy), graph.getTileMapping(t));
  EXPECT_NE(copy, t);
  EXPECT_FALSE(prog.isEmpty());
}

} // namespace
