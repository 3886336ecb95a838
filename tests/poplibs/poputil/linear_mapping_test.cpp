#include <gtest/gtest.h>

#include <poplar/Graph.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace {

using poplar::Interval;
using Mapping = std::vector<std::vector<Interval>>;

poplar::Graph graphOf(unsigned tiles) {
  return poplar::Graph(poplar::Target::createIPUTarget(1, tiles, "ipu2"));
}

TEST(LinearMapping, GrainsAreDealtOutEvenlyAndInOrder) {
  const poplar::Graph graph = graphOf(4);
  EXPECT_EQ(poputil::calcLinearTileMapping(graph, {11}, 1, 2),
            (Mapping{{Interval(0, 2)}, {Interval(2, 6)}, {Interval(6, 8)}, {Interval(8, 11)}}));
}
TEST(LinearMapping, EveryUsedTileHasTheMinimum) {
  const poplar::Graph graph = graphOf(8);
  const Mapping mapping = poputil::calcLinearTileMapping(graph, {10, 10}, 32, 4);
  unsigned used = 0;
  for (const auto &tile : mapping) {
    if (tile.empty())
      continue;
    ++used;
    EXPECT_GE(tile.front().size(), 32u);
  }
  EXPECT_EQ(used, 3u);
}
TEST(LinearMapping, ATensorOfFewElementsLiesOnTileZero) {
  poplar::Graph graph = graphOf(8);
  const poplar::Tensor t = graph.addVariable(poplar::FLOAT, {5});
  poputil::mapTensorLinearly(graph, t);
  EXPECT_EQ(graph.getTileMapping(t)[0], std::vector<Interval>{Interval(0, 5)});
}
TEST(LinearMapping, ATileHasAtLeast128BytesByDefault) {
  poplar::Graph graph = graphOf(8);
  const poplar::Tensor halves = graph.addVariable(poplar::HALF, {256});
  EXPECT_EQ(poputil::calcLinearTileMapping(graph, halves)[0],
            std::vector<Interval>{Interval(0, 64)});
}
TEST(LinearMapping, AnEmptyTensorHasNoTiles) {
  const poplar::Graph graph = graphOf(2);
  EXPECT_EQ(poputil::calcLinearTileMapping(graph, {0, 3}, 1, 1), Mapping(2));
}
TEST(LinearMapping, AViewIsMappedInItsOwnOrder) {
  poplar::Graph graph = graphOf(2);
  const poplar::Tensor t = graph.addVariable(poplar::FLOAT, {2, 2});
  poputil::mapTensorLinearly(graph, t.transpose(), 1, 1);
  EXPECT_EQ(graph.getTileMapping(t)[0], (std::vector<Interval>{Interval(0, 1), Interval(2, 3)}));
}
TEST(LinearMapping, AnOffsetWrapsRound) {
  const poplar::Graph graph = graphOf(3);
  EXPECT_EQ(poputil::calcLinearTileMapping(graph, {2}, 1, 1, 2),
            (Mapping{{Interval(1, 2)}, {}, {Interval(0, 1)}}));
}
TEST(LinearMapping, ImbalanceIsWhatTheFullestTileHasBeyondAnEvenShare) {
  const Mapping mapping = {{Interval(0, 7)}, {Interval(7, 8)}};
  EXPECT_EQ(poputil::getTileImbalance(mapping), 3u);
  EXPECT_EQ(poputil::getTileImbalance(mapping, 6), 1u);
  EXPECT_EQ(poputil::getTileImbalance(mapping, 9), 0u);
}
TEST(MappingOffset, DependsOnShapeAndSeedAndSpreadsOverTheTiles) {
  EXPECT_EQ(poputil::chooseMappingOffset(1472, {1, 2, 3}),
            poputil::chooseMappingOffset(1472, {1, 2, 3}));
  EXPECT_NE(poputil::chooseMappingOffset(1472, {1, 2, 3}),
            poputil::chooseMappingOffset(1472, {3, 2, 1}));
  EXPECT_NE(poputil::chooseMappingOffset(1472, {1, 2, 3}),
            poputil::chooseMappingOffset(1472, {1, 2, 3}, 1));
  std::vector<unsigned> counts(16);
  for (std::size_t i = 0; i != 1600; ++i)
    ++counts.at(poputil::chooseMappingOffset(16, {i, 4}));
  for (const unsigned count : counts) { // 100 each, with a deviation of 10
    EXPECT_GT(count, 50u);
    EXPECT_LT(count, 150u);
  }
  EXPECT_THROW(poputil::chooseMappingOffset(0, {1}), poputil::poplibs_error);
}

} // namespace
