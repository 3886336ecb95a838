#include "tile_layouts.hpp"

#include <gmock/gmock.h>

#include <numeric>

namespace copse::report {
namespace {

using compiler::MemoryBlock;
using compiler::MemoryLayout;
using nlohmann::json;

/// Returns tiles with these blocks.
MemoryLayout layoutOf(const std::vector<std::vector<MemoryBlock>> &tiles, std::size_t items) {
  MemoryLayout memory;
  memory.items.resize(items);
  for (std::size_t item = 0; item < items; ++item)
    memory.items[item].name = "item" + std::to_string(item);
  memory.firstBlock.push_back(0);
  for (const auto &blocks : tiles) {
    memory.blocks.insert(memory.blocks.end(), blocks.begin(), blocks.end());
    memory.firstBlock.push_back(memory.blocks.size());
  }
  return memory;
}

std::vector<std::uint32_t> inOrder(std::size_t tiles) {
  std::vector<std::uint32_t> order(tiles);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

TEST(TileLayouts, HoldEqualTilesOnce) {
  const std::vector<MemoryBlock> a{{0, 1000, 16}, {2, 1024, 8}}, b{{1, 1000, 4}};
  const auto layouts = tileLayouts(layoutOf({a, a, b, a}, 3), inOrder(4));
  EXPECT_EQ(layouts["ofTile"], json::parse("[2, 1, 1, 2, 1, 1]"));
  // The second block begins 8 bytes after the first.
  EXPECT_EQ(layouts["layouts"], json::parse("[[1000, 16, 0, 8, 8, 1], [1000, 4, 2]]"));
  EXPECT_EQ(layouts["names"], json::parse(R"(["item0", "item2", "item1"])"));
  EXPECT_EQ(layouts["tilesLeftOut"], 0);
}

TEST(TileLayouts, CountBackwardsIfMemoryIsShared) {
  const auto layouts = tileLayouts(layoutOf({{{0, 1000, 16}, {1, 1008, 16}}}, 2), inOrder(1));
  EXPECT_EQ(layouts["layouts"][0][3], -8);
}

TEST(TileLayouts, OmitTheLastTilesIfThereAreTooMany) {
  std::vector<std::vector<MemoryBlock>> tiles;
  for (std::uint32_t tile = 0; tile < 50; ++tile)
    for (tiles.emplace_back(); tiles.back().size() < 10'000;)
      tiles.back().push_back({tile, static_cast<std::uint32_t>(tiles.back().size()) * 4, 4});
  std::vector<std::uint32_t> order = inOrder(tiles.size());
  std::ranges::reverse(order);
  const auto layouts = tileLayouts(layoutOf(tiles, tiles.size()), order);
  EXPECT_EQ(layouts["layouts"].size(), 40u);
  EXPECT_EQ(layouts["tilesLeftOut"], 10);
  EXPECT_EQ(layouts["ofTile"][0], 10); // the first ten tiles,
  EXPECT_EQ(layouts["ofTile"][1], 0);  // which come last, are left out
}

} // namespace
} // namespace copse::report
