#include "graph_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace copse::graph::test {
namespace {

using namespace poplar;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Mapping = Graph::TileToTensorMapping;
using Shape = std::vector<std::size_t>;

/// Two IPUs of 4 tiles, split into four groups of two tiles.
class ReplicatedGraphs : public ::testing::Test {
protected:
  Graph parent_{ipuTarget(2)};
  Graph inner_ = parent_.createReplicatedGraph(4);
  Tensor t_ = inner_.addVariable(FLOAT, {3}, "t");
};

TEST_F(ReplicatedGraphs, HaveEqualGroupsOfTilesAsTargets) {
  EXPECT_EQ(inner_.getTarget().getNumIPUs(), 1u);
  EXPECT_EQ(inner_.getTarget().getNumTiles(), 2u);
  EXPECT_EQ(Graph(ipuTarget(8)).createReplicatedGraph(4).getTarget().getNumIPUs(), 2u);
  EXPECT_THROW(parent_.createReplicatedGraph(3), graph_replication_error);
  EXPECT_THROW(parent_.createReplicatedGraph(0), graph_replication_error);
}

TEST_F(ReplicatedGraphs, CountTheirReplicas) {
  EXPECT_EQ(inner_.getReplicationFactor(), 4u);
  EXPECT_EQ(inner_.createVirtualGraph(0, 1).getReplicationFactor(), 4u);
  EXPECT_EQ(inner_.getTopLevelGraph().getReplicationFactor(), 1u);
  EXPECT_EQ(parent_.getReplicationFactor(), 1u);
  EXPECT_EQ(t_.getVarRegions()[0].var.replicationFactor, 4u);
}

TEST_F(ReplicatedGraphs, AreNotReplicatedAgain) {
  EXPECT_THROW(inner_.createReplicatedGraph(2), graph_replication_error);
  Graph byConstructor(ipuTarget(2), replication_factor(2));
  EXPECT_THROW(byConstructor.createReplicatedGraph(2), graph_replication_error);
  Graph one = parent_.createReplicatedGraph(1);
  EXPECT_EQ(parent_.getNonReplicatedTensor(one.addVariable(FLOAT, {3})).shape(), Shape({1, 3}));
}

TEST_F(ReplicatedGraphs, MapEachInstanceOnItsOwnTiles) {
  inner_.setTileMapping(t_.slice(0, 2), 0);
  inner_.setTileMapping(t_.slice(2, 3), 1);
  EXPECT_EQ(inner_.getTileMapping(t_), Mapping({{{0, 2}}, {{2, 3}}}));
  const Tensor all = parent_.getNonReplicatedTensor(t_);
  EXPECT_EQ(all.shape(), Shape({4, 3}));
  EXPECT_TRUE(all.isContiguous());
  EXPECT_EQ(
      parent_.getTileMapping(all),
      Mapping({{{0, 2}}, {{2, 3}}, {{3, 5}}, {{5, 6}}, {{6, 8}}, {{8, 9}}, {{9, 11}}, {{11, 12}}}));
}

TEST_F(ReplicatedGraphs, LetTheParentMapOneInstance) {
  inner_.setTileMapping(t_, 0);
  const Tensor all = parent_.getNonReplicatedTensor(t_);
  parent_.setTileMapping(all[2], 7);
  EXPECT_THAT(parent_.getTileMapping(all)[7], ElementsAre(Interval(6, 9)));
  EXPECT_THAT(parent_.getTileMapping(all)[4], IsEmpty());
}

TEST_F(ReplicatedGraphs, ShowViewsOfTheirTensorsToTheParent) {
  const Tensor view = concat(t_.reverse(0), t_.slice(1, 2)).reshape({2, 2});
  const Tensor all = parent_.getNonReplicatedTensor(view);
  EXPECT_EQ(all.shape(), Shape({4, 2, 2}));
  const Tensor rows = parent_.getNonReplicatedTensor(t_);
  EXPECT_EQ(elementsOf(all[3]), elementsOf(concat(rows[3].reverse(0), rows[3].slice(1, 2))));
  EXPECT_TRUE(all.intersectsWith(t_));
  EXPECT_TRUE(t_.intersectsWith(rows[2].slice(0, 1)));
  EXPECT_FALSE(t_.slice(0, 1).intersectsWith(rows[2].slice(1, 2)));
}

TEST_F(ReplicatedGraphs, NestWithVirtualGraphsInAnyOrder) {
  Graph virtualGraph = parent_.createVirtualGraph({7, 5, 3, 1});
  Graph inner = virtualGraph.createReplicatedGraph(2);
  Graph innermost = inner.createVirtualGraph(1, 2);
  const Tensor t = innermost.addVariable(FLOAT, {2});
  innermost.setTileMapping(t, 0);
  EXPECT_EQ(inner.getTileMapping(t), Mapping({{}, {{0, 2}}}));
  EXPECT_EQ(virtualGraph.getTileMapping(t), Mapping({{}, {{0, 2}}, {}, {}}));
  const Tensor all = virtualGraph.getNonReplicatedTensor(t);
  EXPECT_EQ(virtualGraph.getTileMapping(all), Mapping({{}, {{0, 2}}, {}, {{2, 4}}}));
  EXPECT_EQ(innermost.convertVirtualTileToPhysicalTile(0), 5u);
}

TEST_F(ReplicatedGraphs, CloneForAllReplicasThroughAnyGraph) {
  inner_.setTileMapping(t_, 1);
  for (const auto method :
       {TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES, TensorCloneMethod::CREATE_NEW_ORDER,
        TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES}) {
    const Tensor clone = parent_.clone(t_, "clone", method);
    EXPECT_EQ(parent_.getTileMapping(parent_.getNonReplicatedTensor(clone)),
              parent_.getTileMapping(parent_.getNonReplicatedTensor(t_)));
  }
  EXPECT_EQ(parent_.getNonReplicatedTensor(parent_.cloneN(t_, 2)).shape(), Shape({4, 2, 3}));
}

TEST_F(ReplicatedGraphs, CloneTensorsOfOtherReplicas) {
  Graph other = parent_.createVirtualGraph(4, 8).createReplicatedGraph(2);
  const Tensor source =
      parent_.createVirtualGraph(0, 4).createReplicatedGraph(2).addVariable(FLOAT, {1});
  parent_.setTileMapping(source, 1);
  const Tensor clone = other.clone(source);
  const Tensor all = parent_.getNonReplicatedTensor(clone);
  EXPECT_THAT(parent_.getTileMapping(all)[1], ElementsAre(Interval(0, 1)));
  EXPECT_THAT(parent_.getTileMapping(all)[3], ElementsAre(Interval(1, 2)));
  other.setTileMapping(clone, 0);
  EXPECT_THAT(parent_.getTileMapping(all)[4], ElementsAre(Interval(0, 1)));
  EXPECT_THAT(parent_.getTileMapping(all)[6], ElementsAre(Interval(1, 2)));
}

TEST_F(ReplicatedGraphs, DoNotConnectToVerticesOfTheParent) {
  addVertexType(parent_, "V", {field("in", popc::FieldDirection::Input, popc::FieldKind::Vector)});
  const ComputeSet set = parent_.addComputeSet();
  EXPECT_THROW(parent_.addVertex(set, "V", {{"in", t_}}), graph_replication_error);
  EXPECT_NO_THROW(inner_.addVertex(set, "V", {{"in", t_}}));
  EXPECT_NO_THROW(parent_.addVertex(set, "V", {{"in", parent_.getNonReplicatedTensor(t_)[1]}}));
}

TEST_F(ReplicatedGraphs, HaveConstantsOnEachReplica) {
  const Tensor index = inner_.addReplicationIndexConstant();
  EXPECT_TRUE(parent_.getNonReplicatedTensor(index).containsConstant());
  EXPECT_EQ(parent_.getNonReplicatedTensor(index).shape(), Shape({4}));
  addVertexType(parent_, "S", {field("n", popc::FieldDirection::State, popc::FieldKind::Vector)});
  const Tensor c = inner_.addConstant<float>(FLOAT, {2}, {1.5f, 2.5f});
  const VertexRef v = parent_.addVertex(parent_.addComputeSet(), "S");
  parent_.connect(v["n"], parent_.getNonReplicatedTensor(c).flatten().slice(1, 4));
  const auto &bytes = Access::state(parent_)->model.fieldValues.back().bytes;
  std::vector<float> values(3);
  ASSERT_EQ(bytes.size(), sizeof(float) * 3);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  EXPECT_THAT(values, ElementsAre(2.5f, 1.5f, 2.5f));
}

TEST_F(ReplicatedGraphs, RequireAMapOfTheirReplicasInCrossReplicaCopies) {
  using program::CrossReplicaCopy;
  EXPECT_NO_THROW(CrossReplicaCopy(t_, t_, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}));
  EXPECT_THROW(CrossReplicaCopy(t_, t_, {{0, 1}, {1, 0}}), control_program_error);
  const Tensor mine = parent_.addVariable(FLOAT, {3});
  EXPECT_THROW(CrossReplicaCopy(mine, mine, {{0, 1}, {1, 0}}), control_program_error);
}

} // namespace
} // namespace copse::graph::test
