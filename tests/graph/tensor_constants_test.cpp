#include "graph_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <poplar/IeeeHalf.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>

namespace copse::graph {
namespace {

using namespace poplar;
using ::testing::HasSubstr;

class ConstantValues : public ::testing::Test {
protected:
  Graph graph{test::ipuTarget()};

  template <typename T> T valueOf(const Tensor &t) {
    T value{};
    EXPECT_TRUE(t.getConstantValue(&value)) << t;
    return value;
  }
};

TEST_F(ConstantValues, AreReadThroughViews) {
  const Tensor t = graph.addConstant<int>(INT, {2, 3}, {1, -2, 3, -4, 5, -6});
  EXPECT_EQ(valueOf<int>(t[1][2]), -6);
  EXPECT_EQ(valueOf<int>(t.reverse(1).slice({0, 2}, {1, 3})), 1);
  EXPECT_EQ(valueOf<unsigned>(t.reinterpret(UNSIGNED_INT)[0][1]), 0xFFFFFFFEu);
}

TEST_F(ConstantValues, AreConvertedToTheHostType) {
  EXPECT_EQ(valueOf<float>(graph.addConstant(HALF, {}, 0.1f)), IeeeHalf(0.1f));
  EXPECT_EQ(valueOf<double>(graph.addConstant(FLOAT, {1, 1}, 2.5f)), 2.5);
  EXPECT_EQ(valueOf<int>(graph.addConstant(FLOAT, {}, -2.5f)), -2);
  EXPECT_EQ(valueOf<IeeeHalf>(graph.addConstant(INT, {}, 3)), 3.0f);
  EXPECT_TRUE(valueOf<bool>(graph.addConstant(INT, {}, 256)));
  const auto large = ~std::uint64_t{0};
  EXPECT_EQ(valueOf<std::uint64_t>(graph.addConstant(UNSIGNED_LONGLONG, {}, large)), large);
  EXPECT_EQ(valueOf<std::uint8_t>(graph.addConstant(UNSIGNED_CHAR, {}, 200)), 200);
}

/// Among Poplar's overloads, braces with one value select the overload for a value, which fills the
/// shape.
TEST_F(ConstantValues, FillTheShapeWithOneValueInBraces) {
  const Tensor zero = graph.addConstant<float>(FLOAT, {16, 1}, {0.});
  EXPECT_EQ(zero.numElements(), 16u);
  EXPECT_EQ(valueOf<float>(graph.addConstant<float>(FLOAT, {3}, {2.5f})[2]), 2.5f);
  EXPECT_EQ(valueOf<int>(graph.addConstant(INT, {2}, {7})[1]), 7);
  EXPECT_THROW(graph.addConstant<int>(INT, {3}, {1, 2}), poplar_error);
  EXPECT_THROW(graph.addConstant<int>(INT, {3}, std::vector<int>{1}), poplar_error);
}

TEST_F(ConstantValues, KeepTheHostsBytesOfBools) {
  const Tensor byte = graph.addConstant(BOOL, {}, std::uint8_t{66});
  EXPECT_EQ(valueOf<std::uint8_t>(byte), 66);
  EXPECT_TRUE(valueOf<bool>(byte));
  EXPECT_EQ(valueOf<std::uint8_t>(graph.addConstant(BOOL, {}, 66)), 1);
}

TEST_F(ConstantValues, FollowTheMetadataOfQuarters) {
  const QuarterMetadata metadata(QuarterMetadata::Format::F143, 1);
  EXPECT_EQ(valueOf<float>(graph.addConstant(QUARTER, metadata, {}, 3.0f)), 3.0f);
}

TEST_F(ConstantValues, AreMissingForVariablesListsAndReplicaNumbers) {
  int value = 7;
  const Tensor v = graph.addVariable(INT, {});
  graph.setInitialValue(v, 1);
  EXPECT_FALSE(v.getConstantValue(&value));
  EXPECT_FALSE(graph.addConstant(INT, {2}, 1).getConstantValue(&value));
  EXPECT_FALSE(graph.addConstant(INT, {0}, 1).getConstantValue(&value));
  EXPECT_FALSE(graph.addReplicationIndexConstant().getConstantValue(&value));
  EXPECT_EQ(value, 7);
}

TEST_F(ConstantValues, AreNeverOtherThanNumbersOnTheHost) {
  std::string text;
  EXPECT_THROW(graph.addConstant(INT, {}, 1).getConstantValue(&text), type_error);
  int value = 0;
  EXPECT_THROW(Tensor().getConstantValue(&value), poplar_error);
}

TEST_F(ConstantValues, LieInRegionsOfNamedVariables) {
  const Tensor t = graph.addVariable(INT, {8}, "weights");
  std::ostringstream out;
  concat(t.slice(4, 8), t.slice(0, 2)).outputRegions(out);
  EXPECT_EQ(out.str(), "[0,4) of the tensor: [4,8) of weights\n"
                       "[4,6) of the tensor: [0,2) of weights\n");
}

} // namespace
} // namespace copse::graph
