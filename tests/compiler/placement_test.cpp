#include "models.hpp"

#include "compiler/placement.hpp"
#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>

namespace copse::compiler {
namespace {

using graph::kNoTile;
using graph::Run;
using wire::Region;

std::vector<Region> locate(const Placement &placement, const std::vector<Run> &runs) {
  std::vector<Region> regions;
  placement.locate(runs, "the test", regions);
  return regions;
}

TEST(Placement, KeepsARunOnOneTileContiguous) {
  auto model = test::emptyModel(1, 4);
  const auto x = test::addVariable(model, "x", {2, 2, 2, 2});
  TileAllocator allocator(4, 0x1000, 4096);
  const Liveness liveness = nothingShared(model);
  MemoryRules rules(model, VertexIndex(model), liveness.homes);
  const Placement placement(model, liveness, rules, allocator);
  EXPECT_THAT(locate(placement, {{x, 0, 4, 1}}),
              ::testing::ElementsAre(Region{2, 0x1000, 16, 1, 0}));
}

TEST(Placement, StoresElementsOfOneTileInAscendingOrderInOneBlock) {
  auto model = test::emptyModel(1, 2);
  const auto x = test::addVariable(model, "x", {0, 1, 0, 1, 0});
  TileAllocator allocator(2, 0x1000, 4096);
  const Liveness liveness = nothingShared(model);
  MemoryRules rules(model, VertexIndex(model), liveness.homes);
  const Placement placement(model, liveness, rules, allocator);
  EXPECT_THAT(locate(placement, {{x, 4, 1, 1}}),
              ::testing::ElementsAre(Region{0, 0x1008, 4, 1, 0}));
  std::uint64_t bytes = 0;
  placement.visitPieces([&](graph::VariableId v, GlobalTile tile, std::uint32_t,
                            std::uint64_t here) { bytes += v == x && tile == 0 ? here : 0; });
  EXPECT_EQ(bytes, 12u);
}

TEST(Placement, LocatesAStridedRunAsOneRegion) {
  auto model = test::emptyModel(1, 1);
  const auto x = test::addVariable(model, "x", {0, 0, 0, 0, 0, 0});
  TileAllocator allocator(1, 0x1000, 4096);
  const Liveness liveness = nothingShared(model);
  MemoryRules rules(model, VertexIndex(model), liveness.homes);
  const Placement placement(model, liveness, rules, allocator);
  EXPECT_THAT(locate(placement, {{x, 1, 3, 2}}),
              ::testing::ElementsAre(Region{0, 0x1004, 4, 3, 8}));
}

TEST(Placement, LocatesAReversedRunBackwards) {
  auto model = test::emptyModel(1, 2);
  const auto x = test::addVariable(model, "x", {0, 0, 1, 1});
  TileAllocator allocator(2, 0x1000, 4096);
  const Liveness liveness = nothingShared(model);
  MemoryRules rules(model, VertexIndex(model), liveness.homes);
  const Placement placement(model, liveness, rules, allocator);
  EXPECT_THAT(locate(placement, {{x, 3, 4, -1}}),
              ::testing::ElementsAre(Region{1, 0x1004, 4, 2, -4}, Region{0, 0x1004, 4, 2, -4}));
}

TEST(Placement, LeavesFewerGapsWithTheLargestFirst) {
  auto model = test::emptyModel(1, 1);
  for (const auto &[name, elements] : {std::pair("a", 40), std::pair("b", 20), std::pair("c", 60)})
    test::addVariable(model, name,
                      std::vector<std::uint32_t>(static_cast<std::size_t>(elements), 0));
  const auto bytesNeeded = [&](PlacementOrder order) {
    TileAllocator allocator(1, 0x1000, 4096);
    Liveness liveness = nothingShared(model);
    for (std::uint32_t v = 0; v < 3; ++v)
      liveness.variables[v] = liveness.ranges.add({{v, v + 1}});
    MemoryRules rules(model, VertexIndex(model), liveness.homes);
    Placement placement(model, liveness, rules, allocator);
    MemorySharing sharing(allocator, liveness.ranges);
    placement.placeShared(sharing, order);
    return allocator.used(0);
  };
  EXPECT_EQ(bytesNeeded(PlacementOrder::FirstUse), 4u * (40 + 20 + 60));
  EXPECT_EQ(bytesNeeded(PlacementOrder::LargestFirst), 4u * (60 + 20));
}

class NeverLive : public ::testing::TestWithParam<bool> {};
TEST_P(NeverLive, SharesTheMemoryOfUsedVariables) {
  auto model = test::emptyModel(1, 1);
  for (const std::size_t elements : {30, 30, 40})
    test::addVariable(model, "v", std::vector<std::uint32_t>(elements, 0));
  TileAllocator allocator(1, 0x1000, 4096);
  Liveness liveness = nothingShared(model);
  liveness.variables = {LiveRanges::kNever, LiveRanges::kNever,
                        GetParam() ? LiveRanges::kAlways : liveness.ranges.add({{1, 2}})};
  MemoryRules rules(model, VertexIndex(model), liveness.homes);
  Placement placement(model, liveness, rules, allocator);
  MemorySharing sharing(allocator, liveness.ranges);
  placement.placeShared(sharing, PlacementOrder::FirstUse);
  EXPECT_EQ(allocator.used(0), 4u * 40);
}
INSTANTIATE_TEST_SUITE_P(Used, NeverLive, ::testing::Bool(),
                         [](const auto &param) { return param.param ? "Always" : "AtTimes"; });

TEST(Placement, NamesVariableAndUserOfAnUnmappedElement) {
  auto model = test::emptyModel(1, 2);
  const auto x = test::addVariable(model, "weights", {0, kNoTile});
  TileAllocator allocator(2, 0x1000, 4096);
  const Liveness liveness = nothingShared(model);
  MemoryRules rules(model, VertexIndex(model), liveness.homes);
  const Placement placement(model, liveness, rules, allocator);
  try {
    locate(placement, {{x, 0, 2, 1}});
    FAIL() << "element 1 has no tile";
  } catch (const poplar::invalid_tile_mapping &e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(::testing::HasSubstr("'weights'"),
                                           ::testing::HasSubstr("the test")));
  }
}

} // namespace
} // namespace copse::compiler
