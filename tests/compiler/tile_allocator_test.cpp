#include "compiler/tile_allocator.hpp"

#include <gmock/gmock.h>

#include <map>

namespace copse::compiler {
namespace {

TEST(TileAllocator, StartsAtTheFirstPopulatedAddress) {
  TileAllocator allocator(2, 0x4C000, 1024);
  EXPECT_EQ(allocator.allocate(1, 4, 8), 0x4C000u);
}

TEST(TileAllocator, AlignsEachBlock) {
  TileAllocator allocator(1, 0x4C000, 1024);
  allocator.allocate(0, 3, 8);
  EXPECT_EQ(allocator.allocate(0, 4, 16), 0x4C010u);
}

TEST(TileAllocator, KeepsTilesApart) {
  TileAllocator allocator(2, 0x4C000, 1024);
  allocator.allocate(0, 100, 8);
  EXPECT_EQ(allocator.used(0), 100u);
  EXPECT_EQ(allocator.used(1), 0u);
}

TEST(TileAllocator, SpreadsAllTilesButTheFirstOfAnIpu) {
  constexpr std::uint32_t tilesOfAnIpu = 130, kBase = 0x4C000;
  TileAllocator allocator(2 * tilesOfAnIpu, kBase, 638'976);
  allocator.spread(tilesOfAnIpu, 16);
  const auto addressOn = [&](GlobalTile tile) { return allocator.allocate(tile, 16, 16); };
  EXPECT_EQ(addressOn(0), kBase);
  EXPECT_EQ(addressOn(1), kBase + 4096 + 64);
  EXPECT_EQ(addressOn(64), kBase + 4096);
  EXPECT_EQ(addressOn(129), kBase + 3 * 4096 + 64);
  EXPECT_EQ(addressOn(tilesOfAnIpu), kBase);
  EXPECT_EQ(allocator.used(129), 16u) << "what lies below a tile's begin is not used";
}

TEST(TileAllocator, SpreadsEvenlyOverPagesAndTheirLines) {
  constexpr std::uint32_t tilesOfAnIpu = 1472, kBase = 0x4C000;
  for (const std::uint32_t pages : {TileAllocator::kFewPages, TileAllocator::kManyPages}) {
    TileAllocator allocator(tilesOfAnIpu, kBase, 638'976);
    allocator.spread(tilesOfAnIpu, pages);
    std::map<std::uint32_t, std::uint32_t> onPage;
    std::map<std::uint32_t, std::uint32_t> onLine;
    for (GlobalTile tile = 0; tile < tilesOfAnIpu; ++tile) {
      const std::uint32_t offset = allocator.allocate(tile, 16, 16) - kBase;
      EXPECT_LT(offset / 4096, pages);
      ++onPage[offset / 4096];
      ++onLine[offset];
    }
    for (const auto &[page, tiles] : onPage)
      EXPECT_NEAR(tiles, 1.0 * tilesOfAnIpu / pages, 2) << "page " << page;
    for (const auto &[offset, tiles] : onLine)
      EXPECT_LE(tiles, 1 + tilesOfAnIpu / (64 * pages)) << "offset " << offset;
  }
}

TEST(TileAllocator, KeepsTheLastBytesForOverReads) {
  EXPECT_EQ(TileAllocator(1, 0, 1024).capacity(), 1024u - 32u);
}

TEST(TileAllocator, ListsOverflowingTilesWorstFirst) {
  TileAllocator allocator(3, 0, 1024);
  allocator.allocate(0, 2000, 8);
  allocator.allocate(1, 100, 8);
  allocator.allocate(2, 3000, 8);
  EXPECT_THAT(allocator.overflowing(), ::testing::ElementsAre(2, 0));
}

} // namespace
} // namespace copse::compiler
