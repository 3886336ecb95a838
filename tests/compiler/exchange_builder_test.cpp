#include "compiler/exchange_builder.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

namespace copse::compiler {
namespace {

using wire::Exchange;
using wire::Region;

constexpr std::uint32_t kIpus = 2, kTilesPerIpu = 3, kTileBytes = 256;

/// Memory of all tiles of a replica, addressed by GlobalTile.
using Memory = std::vector<std::vector<std::uint8_t>>;

Memory numberedMemory() {
  Memory memory(kIpus * kTilesPerIpu, std::vector<std::uint8_t>(kTileBytes));
  std::mt19937 random(7);
  for (auto &tile : memory)
    for (auto &byte : tile)
      byte = static_cast<std::uint8_t>(random());
  return memory;
}

std::vector<std::uint8_t> pack(const Memory &memory, const std::vector<Region> &regions,
                               std::uint32_t firstTile) {
  std::vector<std::uint8_t> bytes;
  for (const Region &region : regions)
    for (std::uint32_t block = 0; block < region.count; ++block)
      for (std::uint32_t i = 0; i < region.bytes; ++i)
        bytes.push_back(memory[firstTile + region.tile][static_cast<std::size_t>(
            region.address + std::int64_t{block} * region.stride + i)]);
  return bytes;
}

void unpack(Memory &memory, const std::vector<Region> &regions, std::uint32_t firstTile,
            const std::vector<std::uint8_t> &bytes) {
  std::size_t at = 0;
  for (const Region &region : regions)
    for (std::uint32_t block = 0; block < region.count; ++block)
      for (std::uint32_t i = 0; i < region.bytes; ++i)
        memory[firstTile + region.tile]
              [static_cast<std::size_t>(region.address + std::int64_t{block} * region.stride + i)] =
                  bytes[at++];
}

/// Executes exchanges like the IPUs: all sources are read before anything is written.
Memory run(const Memory &before, const std::vector<Exchange> &exchanges) {
  Memory after = before;
  for (std::uint32_t ipu = 0; ipu < kIpus; ++ipu) {
    const std::uint32_t firstTile = ipu * kTilesPerIpu;
    for (const wire::Move &move : exchanges[ipu].moves) {
      const Region from{move.from.tile, move.from.address, move.bytes, move.count, move.fromStride};
      const Region to{move.to.tile, move.to.address, move.bytes, move.count, move.toStride};
      unpack(after, {to}, firstTile, pack(before, {from}, firstTile));
    }
    for (const wire::Message &message : exchanges[ipu].sends)
      for (const wire::Message &expected : exchanges[message.peer].receives)
        if (expected.peer == ipu) {
          EXPECT_EQ(expected.bytes, message.bytes);
          unpack(after, expected.regions, message.peer * kTilesPerIpu,
                 pack(before, message.regions, firstTile));
        }
  }
  return after;
}

/// Returns random regions of \p bytes in all. Destinations use each byte of memory at most once.
std::vector<Region> randomRegions(std::mt19937 &random, std::uint32_t bytes,
                                  std::vector<std::uint32_t> &nextFree, bool destination) {
  std::vector<Region> regions;
  while (bytes > 0) {
    Region region;
    region.tile = random() % (kIpus * kTilesPerIpu);
    region.bytes = std::min<std::uint32_t>(1 + random() % 6, bytes);
    region.count = 1 + random() % 3;
    if (region.bytes * region.count > bytes)
      region.count = 1;
    const std::uint32_t gap = random() % 3;
    region.stride = region.count > 1 ? static_cast<std::int32_t>(region.bytes + gap) : 0;
    const std::uint32_t extent = (region.bytes + gap) * region.count;
    std::uint32_t &free = nextFree[region.tile];
    if (free + extent > kTileBytes) {
      if (destination)
        continue; // this tile is full
      free = 0;
    }
    region.address = free;
    free += extent;
    if (region.count > 1 && random() % 2 == 0) { // backwards
      region.address += static_cast<std::uint32_t>(region.stride) * (region.count - 1);
      region.stride = -region.stride;
    }
    regions.push_back(region);
    bytes -= region.bytes * region.count;
  }
  return regions;
}

TEST(ExchangeBuilder, MovesTheSameBytesAsAPlainCopy) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const std::uint32_t bytes = 1 + random() % 200;
    std::vector<std::uint32_t> sourceFree(kIpus * kTilesPerIpu, 0),
        sinkFree(kIpus * kTilesPerIpu, 0);
    const auto from = randomRegions(random, bytes, sourceFree, false);
    const auto to = randomRegions(random, bytes, sinkFree, true);
    ExchangeBuilder builder(kIpus, kTilesPerIpu);
    builder.add(from, to);
    const Memory before = numberedMemory();
    Memory expected = before;
    unpack(expected, to, 0, pack(before, from, 0));
    ASSERT_EQ(run(before, std::move(builder).finish("x")), expected) << "trial " << trial;
  }
}

TEST(ExchangeBuilder, StaysOnChipWithinOneIpu) {
  ExchangeBuilder builder(kIpus, kTilesPerIpu);
  builder.add(std::vector<Region>{{0, 0, 16, 1, 0}}, std::vector<Region>{{2, 32, 16, 1, 0}});
  EXPECT_FALSE(builder.external());
  const auto exchanges = std::move(builder).finish("x");
  EXPECT_EQ(exchanges[0].moves.size(), 1u);
  EXPECT_TRUE(exchanges[0].flows.empty());
}

TEST(ExchangeBuilder, SendsOneMessageToEachOtherIpu) {
  ExchangeBuilder builder(kIpus, kTilesPerIpu);
  builder.add(std::vector<Region>{{0, 0, 16, 1, 0}, {1, 0, 8, 1, 0}},
              std::vector<Region>{{3, 32, 16, 1, 0}, {5, 0, 8, 1, 0}});
  const auto exchanges = std::move(builder).finish("x");
  ASSERT_EQ(exchanges[0].sends.size(), 1u);
  EXPECT_EQ(exchanges[0].sends[0].bytes, 24u);
  EXPECT_THAT(exchanges[1].flows, ::testing::ElementsAre(wire::Flow{0, 1, 24}))
      << "all IPUs know all flows";
}

TEST(ExchangeBuilder, SendsEvenToTheSameNumberAcrossReplicas) {
  ExchangeBuilder builder(kIpus, kTilesPerIpu, {1, 0});
  builder.add(std::vector<Region>{{0, 0, 16, 1, 0}}, std::vector<Region>{{0, 32, 16, 1, 0}});
  const auto exchanges = std::move(builder).finish("x");
  EXPECT_TRUE(exchanges[0].moves.empty());
  ASSERT_EQ(exchanges[0].sends.size(), 1u);
  EXPECT_EQ(exchanges[0].sends[0].peer, 0u);
}

TEST(ExchangeBuilder, MarksASwapAsOverlapping) {
  ExchangeBuilder builder(kIpus, kTilesPerIpu);
  builder.add(std::vector<Region>{{0, 0, 8, 1, 0}, {0, 8, 8, 1, 0}},
              std::vector<Region>{{0, 8, 8, 1, 0}, {0, 0, 8, 1, 0}});
  EXPECT_TRUE(std::move(builder).finish("swap")[0].overlapping);
}

TEST(ExchangeBuilder, DoesNotStageMovesThatDoNotOverlap) {
  ExchangeBuilder builder(kIpus, kTilesPerIpu);
  builder.add(std::vector<Region>{{0, 0, 8, 1, 0}, {0, 0, 8, 1, 0}},
              std::vector<Region>{{1, 8, 8, 1, 0}, {1, 0, 8, 1, 0}});
  EXPECT_FALSE(std::move(builder).finish("copies")[0].overlapping);
}

TEST(ExchangeBuilder, FillsManyBlocksFromOneElementInOneMove) {
  ExchangeBuilder builder(kIpus, kTilesPerIpu);
  builder.add(std::vector<Region>{{0, 4, 4, 16, 0}}, std::vector<Region>{{1, 0, 64, 1, 0}});
  const auto exchanges = std::move(builder).finish("fill");
  ASSERT_EQ(exchanges[0].moves.size(), 1u);
  EXPECT_EQ(exchanges[0].moves[0].count, 16u);
  EXPECT_EQ(exchanges[0].moves[0].fromStride, 0);
  EXPECT_EQ(exchanges[0].moves[0].toStride, 4);
}

TEST(ExchangeBuilder, JoinsPartsOfRowsIntoOneMove) {
  ExchangeBuilder builder(kIpus, kTilesPerIpu);
  // Five parts, 32 bytes apart; then two at other distances.
  builder.add(std::vector<Region>{{0, 4, 8, 1, 0},
                                  {0, 36, 8, 1, 0},
                                  {0, 68, 8, 1, 0},
                                  {0, 100, 8, 1, 0},
                                  {0, 132, 8, 1, 0},
                                  {0, 12, 8, 1, 0},
                                  {0, 200, 8, 1, 0}},
              std::vector<Region>{{1, 0, 56, 1, 0}});
  const Memory before = numberedMemory();
  Memory expected = before;
  for (const std::uint32_t part : {4, 36, 68, 100, 132, 12, 200})
    for (std::uint32_t i = 0, to = part == 4     ? 0
                                   : part == 12  ? 40
                                   : part == 200 ? 48
                                                 : part / 32 * 8;
         i < 8; ++i)
      expected[1][to + i] = before[0][part + i];
  const auto exchanges = std::move(builder).finish("parts");
  EXPECT_EQ(run(before, exchanges), expected);
  ASSERT_EQ(exchanges[0].moves.size(), 3u);
  EXPECT_EQ(exchanges[0].moves[0], (wire::Move{{0, 4}, {1, 0}, 8, 5, 32, 8}));
}

} // namespace
} // namespace copse::compiler
