#include "graph_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace copse::graph {
namespace {

using namespace poplar;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Mapping = Graph::TileToTensorMapping;

class MappingTest : public ::testing::Test {
protected:
  Graph graph{test::ipuTarget(2, 4)}; // 8 tiles
  Tensor t = graph.addVariable(FLOAT, {4, 2}, "t");
};

TEST_F(MappingTest, HasAnEntryForEveryTile) {
  graph.setTileMapping(t, 3);
  EXPECT_EQ(graph.getTileMapping(t), (Mapping{{}, {}, {}, {{0, 8}}, {}, {}, {}, {}}));
}

TEST_F(MappingTest, ALaterCallOverwritesItsElementsOnly) {
  graph.setTileMapping(t, 0);
  graph.setTileMapping(t[1], 1);
  graph.setTileMapping(t.slice(2, 3), 1);
  EXPECT_EQ(graph.getTileMapping(t)[0], (std::vector<Interval>{{0, 2}, {6, 8}}));
  EXPECT_EQ(graph.getTileMapping(t)[1], (std::vector<Interval>{{2, 6}}));
}

TEST_F(MappingTest, MergesByPositionInTheView) {
  graph.setTileMapping(t.slice(0, 1, 1), 0);
  graph.setTileMapping(t.slice(1, 2, 1), 1);
  EXPECT_EQ(graph.getTileMapping(t.transpose())[0], (std::vector<Interval>{{0, 4}}));
  EXPECT_EQ(graph.getTileMapping(t)[0].size(), 4u);
}

TEST_F(MappingTest, ABroadcastIsMappedLikeAPlainVariable) {
  const Tensor row = graph.addVariable(FLOAT, {1, 2});
  graph.setTileMapping(row, 2);
  EXPECT_EQ(graph.getTileMapping(row.broadcast(4, 0))[2], (std::vector<Interval>{{0, 8}}));
}

TEST_F(MappingTest, AnIncompleteMappingThrowsUnlessAllowed) {
  graph.setTileMapping(t[0], 0);
  EXPECT_THROW(graph.getTileMapping(t), invalid_tile_mapping);
  EXPECT_NO_THROW(graph.getTileMapping(t, false));
  bool complete = true;
  graph.getTileMapping(t, &complete);
  EXPECT_FALSE(complete);
  graph.getTileMapping(t[0], &complete);
  EXPECT_TRUE(complete);
}

TEST_F(MappingTest, AnEmptyTensorIsComplete) {
  EXPECT_THAT(graph.getTileMapping(t.slice(0, 0)), ::testing::Each(IsEmpty()));
}

TEST_F(MappingTest, AShortVectorMapsWhatItLists) {
  graph.setTileMapping(t, Mapping{{{0, 3}}, {}, {{3, 8}}});
  EXPECT_EQ(graph.getTileMapping(t)[2], (std::vector<Interval>{{3, 8}}));
}

TEST_F(MappingTest, AVectorMapsPositionsOfTheView) {
  graph.setTileMapping(t.transpose(), Mapping{{{0, 4}}, {{4, 8}}});
  EXPECT_EQ(graph.getTileMapping(t.slice(0, 1, 1))[0], (std::vector<Interval>{{0, 4}}));
}

TEST_F(MappingTest, BadMappingsAreRefused) {
  EXPECT_THROW(graph.setTileMapping(t, 8), invalid_tile_mapping);
  EXPECT_THROW(graph.setTileMapping(t, Mapping{{{0, 9}}}), invalid_tile_mapping);
  EXPECT_THROW(graph.setTileMapping(t, Mapping{{{0, 4}}, {{3, 8}}}), invalid_tile_mapping);
  EXPECT_THROW(graph.setTileMapping(t, Mapping{{}, {}, {}, {}, {}, {}, {}, {}, {{0, 1}}}),
               invalid_tile_mapping);
}

TEST_F(MappingTest, LinearUsesAllTiles) {
  Graph small(test::ipuTarget(1, 4));
  const Tensor ten = small.addVariable(FLOAT, {10}, VariableMappingMethod::LINEAR);
  EXPECT_EQ(small.getTileMapping(ten), (Mapping{{{0, 3}}, {{3, 6}}, {{6, 8}}, {{8, 10}}}));
  const Tensor two = small.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR);
  EXPECT_EQ(small.getTileMapping(two), (Mapping{{{0, 1}}, {{1, 2}}, {}, {}}));
}

TEST_F(MappingTest, TheParentSeesAVirtualGraphsTilesShifted) {
  Graph upper = graph.createVirtualGraph(3, 7);
  const Tensor v = upper.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR);
  EXPECT_EQ(upper.getTileMapping(v), (Mapping{{{0, 1}}, {{1, 2}}, {{2, 3}}, {{3, 4}}}));
  EXPECT_EQ(graph.getTileMapping(v),
            (Mapping{{}, {}, {}, {{0, 1}}, {{1, 2}}, {{2, 3}}, {{3, 4}}, {}}));
}

TEST_F(MappingTest, ATensorOutsideAVirtualGraphIsIncompleteThere) {
  Graph upper = graph.createVirtualGraph(4, 8);
  graph.setTileMapping(t, 0);
  EXPECT_THROW(upper.getTileMapping(t), invalid_tile_mapping);
  EXPECT_THAT(upper.getTileMapping(t, false), ::testing::Each(IsEmpty()));
}

TEST_F(MappingTest, WholeIpusStayIpusInAVirtualGraph) {
  EXPECT_EQ(graph.createVirtualGraph(4, 8).getTarget().getNumIPUs(), 1u);
  EXPECT_EQ(graph.createVirtualGraph(4, 8).getTarget().getTilesPerIPU(), 4u);
  EXPECT_EQ(graph.createVirtualGraph(0, 8).getTarget().getNumIPUs(), 2u);
  EXPECT_EQ(graph.createVirtualGraph(1, 4).getTarget().getNumTiles(), 3u);
  EXPECT_EQ(graph.createVirtualGraph(1, 7).getTarget().getNumTiles(), 6u);
  EXPECT_EQ(graph.createVirtualGraph(3u).getTarget().getNumTiles(), 6u);
}

TEST_F(MappingTest, VirtualGraphsNestAndOutliveTheirParent) {
  Graph parent(test::ipuTarget(2, 4));
  Graph reversed = parent.createVirtualGraph(std::vector<unsigned>{7, 5, 3});
  parent = Graph();
  Graph inner = reversed.createVirtualGraph(1, 3);
  EXPECT_EQ(inner.convertVirtualTileToPhysicalTile(1), 3u);
  const Tensor v = inner.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR);
  EXPECT_EQ(reversed.getTileMapping(v), (Mapping{{}, {{0, 1}}, {{1, 2}}}));
}

TEST_F(MappingTest, BadVirtualGraphsAreRefused) {
  EXPECT_THROW(graph.createVirtualGraph(4, 9), poplar_error);
  EXPECT_THROW(graph.createVirtualGraph(std::vector<unsigned>{1, 1}), poplar_error);
  EXPECT_THROW(graph.createVirtualGraph(5u), poplar_error);
}

TEST(Replication, SplitsTheTarget) {
  Graph graph(test::ipuTarget(4), replication_factor(2));
  EXPECT_EQ(graph.getTarget().getNumIPUs(), 2u);
  EXPECT_EQ(graph.getReplicationFactor(), 2u);
  EXPECT_EQ(graph.createVirtualGraph(0, 2).getReplicationFactor(), 2u);
  EXPECT_THROW(Graph(test::ipuTarget(4), replication_factor(3)), graph_replication_error);
}

TEST(Replication, IsForbiddenForTheParentOfAReplicatedConstructor) {
  Graph graph(test::ipuTarget(2), replication_factor(2));
  EXPECT_EQ(graph.getTopLevelGraph().getReplicationFactor(), 2u);
  EXPECT_EQ(graph.createVirtualGraph(0, 2).getTopLevelGraph().getTarget(), graph.getTarget());
  EXPECT_EQ(graph.createReplicatedGraph(1).getReplicationFactor(), 2u);
  EXPECT_EQ(graph.createReplicatedGraph(1).getTarget(), graph.getTarget());
  EXPECT_THROW(graph.getNonReplicatedTensor(graph.addVariable(FLOAT, {1})),
               graph_replication_error);
}

TEST(Replication, TheIndexIsAConstant) {
  Graph graph(test::ipuTarget(2), replication_factor(2));
  const Tensor index = graph.addReplicationIndexConstant("index");
  EXPECT_EQ(index.elementType(), UNSIGNED_INT);
  EXPECT_EQ(index.rank(), 0u);
  EXPECT_TRUE(index.containsConstant());
}

TEST(TileMap, CutsAndMergesPieces) {
  TileMap map(10);
  EXPECT_FALSE(map.complete());
  map.set(0, 10, 1);
  map.set(2, 4, 2);
  map.set(4, 6, 2);
  map.set(3, 5, 1);
  map.set(3, 5, 2);
  using Piece = TileMap::Piece;
  EXPECT_THAT(map.pieces(1, 8), ElementsAre(Piece{1, 2, 1}, Piece{2, 6, 2}, Piece{6, 8, 1}));
  map.set(2, 6, 1);
  EXPECT_THAT(map.pieces(0, 10), ElementsAre(Piece{0, 10, 1}));
  EXPECT_TRUE(map.complete());
}

} // namespace
} // namespace copse::graph
