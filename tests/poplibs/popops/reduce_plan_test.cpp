#include "reduce_plan.hpp"

#include <gtest/gtest.h>

namespace {

using namespace copse::reductions;
using poplar::Interval;

TEST(ReducePlan, NeighbouringDimensionsOfOneKindAreJoined) {
  const auto dimensions =
      joined({{2, false}, {3, false}, {1, true}, {4, false}, {5, true}, {6, true}});
  ASSERT_EQ(dimensions.size(), 2u);
  EXPECT_EQ(dimensions[0].size, 24u);
  EXPECT_EQ(dimensions[1].size, 30u);
  EXPECT_TRUE(dimensions[1].reduced);
}
TEST(ReducePlan, WholeRowsOfATileAreOneBlock) {
  const auto blocks = blocksOf({{6, false}, {5, true}}, {{Interval(0, 15)}, {Interval(15, 30)}});
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[1].outer, 3u);
  EXPECT_EQ(blocks[1].results, std::vector<Interval>{Interval(3, 6)});
  EXPECT_TRUE(coverOnce(blocks, 6));
}
TEST(ReducePlan, ARowOnTwoTilesGivesPartialResults) {
  const auto blocks = blocksOf({{2, false}, {5, true}}, {{Interval(0, 7)}, {Interval(7, 10)}});
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[1].results, blocks[2].results);
  EXPECT_FALSE(coverOnce(blocks, 2));
}
TEST(ReducePlan, ColumnsMayBeginInTheMiddleOfARow) {
  const auto blocks = blocksOf({{4, true}, {5, false}}, {{Interval(3, 14)}});
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].start, 3u);
  EXPECT_EQ(blocks[0].inner, 5u);
  EXPECT_EQ(blocks[0].results, std::vector<Interval>{Interval(0, 5)});
}
TEST(ReducePlan, LessThanARowOfColumnsGivesOnlyTheirResults) {
  const auto blocks = blocksOf({{4, true}, {5, false}}, {{Interval(3, 7)}});
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].results, std::vector<Interval>{Interval(3, 5)});
  EXPECT_EQ(blocks[1].results, std::vector<Interval>{Interval(0, 2)});
}
TEST(ReducePlan, ABlockOfFewResultsIsSharedByWorkers) {
  Block block;
  block.elements = Interval(0, 600);
  block.results = {Interval(0, 1)};
  const auto parts = partsOf({block}, 6).front();
  ASSERT_EQ(parts.size(), 6u);
  EXPECT_EQ(parts.front().elements, Interval(0, 100));
  EXPECT_EQ(parts.back().elements, Interval(500, 600));
  block.inner = 6;
  block.results = {Interval(0, 6)};
  EXPECT_EQ(partsOf({block}, 6).front().size(), 1u);
}
TEST(ReducePlan, TheBlocksOfATileShareItsWorkers) {
  const auto blockOf = [](unsigned tile, std::size_t begin, std::size_t end, std::size_t result) {
    Block block;
    block.tile = tile;
    block.elements = Interval(begin, end);
    block.results = {Interval(result, result + 1)};
    return block;
  };
  // A worker's share of tile 3 is 100 elements; of tile 4 there is one block.
  const auto parts =
      partsOf({blockOf(3, 1000, 1250, 0), blockOf(3, 1250, 1600, 1), blockOf(4, 1600, 1700, 1)}, 6);
  const auto endsOf = [](const std::vector<Block> &of) {
    std::vector<std::size_t> ends;
    for (const Block &part : of)
      ends.push_back(part.elements.end());
    return ends;
  };
  EXPECT_EQ(endsOf(parts[0]), (std::vector<std::size_t>{1100, 1200, 1250}));
  EXPECT_EQ(endsOf(parts[1]), (std::vector<std::size_t>{1300, 1400, 1500, 1600}));
  EXPECT_EQ(parts[2].size(), 5u) << "shares of 17: the last would have less than 16";
}
TEST(ReducePlan, RowsThatAreFewerThanWorkersAreBlocksOfTheirOwn) {
  Block block;
  block.elements = Interval(100, 300);
  block.outer = 2;
  block.results = {Interval(7, 9)};
  const auto rows = rowsApart({block}, 6);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].elements, Interval(200, 300));
  EXPECT_EQ(rows[1].results, std::vector<Interval>{Interval(8, 9)});
  EXPECT_EQ(rowsApart({block}, 2).size(), 1u);
}
TEST(ReducePlan, LongRowsGainByParts) {
  Block block;
  block.elements = Interval(0, 2 * 100);
  block.outer = 2;
  block.results = {Interval(0, 2)};
  EXPECT_FALSE(gainsByParts({block}, 6)) << "a row takes less time than a stage to start";
  block.elements = Interval(0, 2 * 1000);
  EXPECT_TRUE(gainsByParts({block}, 6));
  block.outer = 6;
  block.results = {Interval(0, 6)};
  EXPECT_FALSE(gainsByParts({block}, 6)) << "each worker has a row";
}
TEST(ReducePlan, ManyPartialResultsOfOneOutputAreCombinedInTwoRounds) {
  EXPECT_EQ(combinationFor(1472, 1, 1472, 2).groups, 38u);
  EXPECT_EQ(combinationFor(16, 1, 16, 2).groups, 1u);
}
TEST(ReducePlan, NoTileHasMoreOutputsThanItsShareAndAGrain) {
  const auto plan = combinationFor(1472, 4096, 1472, 2);
  EXPECT_EQ(plan.outputsPerTile, 4u);
  EXPECT_EQ(plan.groups, 38u);
  EXPECT_EQ(plan.groupResultsPerTile, 106u);
}

} // namespace
