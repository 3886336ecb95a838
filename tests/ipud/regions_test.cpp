#include "exchange/regions.hpp"
#include "image_builder.hpp"

#include <gtest/gtest.h>

#include <random>

namespace copse::ipud {
namespace {

using test::geometry;
using test::kBase;

constexpr std::uint32_t kTiles = 3, kSpan = 4096; ///< bytes per tile that the tests use

class Regions : public ::testing::Test {
protected:
  Regions() {
    EXPECT_TRUE(memory.map(geometry(kTiles)).ok());
    for (std::uint32_t tile = 0; tile < kTiles; ++tile)
      for (std::uint32_t i = 0; i < kSpan; ++i)
        *memory.at(tile, kBase + i) = static_cast<std::byte>(random());
  }

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); }

  /// Blocks that lie within the span and, if \p apart, do not overlap each other.
  wire::Region randomRegion(bool apart) {
    const std::uint32_t sizes[] = {1, 2, 4, 8, 16, 3, 20, 32, 48, 64};
    wire::Region r;
    r.tile = below(kTiles);
    r.bytes = sizes[below(10)];
    r.count = 1 + below(20);
    const auto least = apart ? r.bytes : 0;
    r.stride = static_cast<std::int32_t>(least + below(40));
    r.address = kBase + below(kSpan - r.stride * r.count - r.bytes);
    if (below(2) == 1) { // the same blocks from the last to the first
      r.address += r.stride * (r.count - 1);
      r.stride = -r.stride;
    }
    return r;
  }

  std::byte &byteOf(const wire::Region &r, std::uint32_t block, std::uint32_t i) {
    return *memory.at(
        r.tile, static_cast<std::uint32_t>(r.address + r.stride * static_cast<std::int32_t>(block) +
                                           static_cast<std::int32_t>(i)));
  }

  std::mt19937 random{1};
  TileMemory memory;
};

TEST_F(Regions, PackIsBlockAfterBlock) {
  for (int round = 0; round < 500; ++round) {
    const std::vector<wire::Region> regions = {randomRegion(false), randomRegion(false)};
    std::vector<std::byte> expected;
    for (const auto &r : regions)
      for (std::uint32_t block = 0; block < r.count; ++block)
        for (std::uint32_t i = 0; i < r.bytes; ++i)
          expected.push_back(byteOf(r, block, i));
    ASSERT_EQ(packedBytes(regions), expected.size());
    std::vector<std::byte> packed(expected.size());
    pack(memory, regions, packed.data());
    ASSERT_EQ(packed, expected);
  }
}

TEST_F(Regions, UnpackReversesPack) {
  for (int round = 0; round < 500; ++round) {
    const std::vector<wire::Region> regions = {randomRegion(true)};
    std::vector<std::byte> in(packedBytes(regions)), out(in.size());
    for (auto &byte : in)
      byte = static_cast<std::byte>(random());
    const auto &r = regions[0];
    const auto beside = r.count > 1 && std::abs(r.stride) > static_cast<int>(r.bytes)
                            ? byteOf(r, 0, r.bytes)
                            : std::byte{0};
    unpack(memory, regions, in.data());
    pack(memory, regions, out.data());
    ASSERT_EQ(out, in);
    if (r.count > 1 && std::abs(r.stride) > static_cast<int>(r.bytes)) {
      ASSERT_EQ(byteOf(r, 0, r.bytes), beside) << "a byte between two blocks was written";
    }
  }
}

TEST_F(Regions, BlocksOfEverySizeAreCopiedExactly) {
  constexpr std::uint32_t kMost = 80;
  for (std::uint32_t bytes = 1; bytes <= kMost; ++bytes) {
    const wire::Region region{1, kBase + 1, bytes, 1, 0};
    std::vector<std::byte> in(bytes), before(kMost + 2);
    for (auto &byte : in)
      byte = static_cast<std::byte>(random());
    std::memcpy(before.data(), memory.at(1, kBase), before.size());
    unpack(memory, {&region, 1}, in.data());
    std::copy(in.begin(), in.end(), before.begin() + 1);
    ASSERT_EQ(std::memcmp(before.data(), memory.at(1, kBase), before.size()), 0) << bytes;
    std::vector<std::byte> out(bytes + 2, std::byte{7});
    pack(memory, {&region, 1}, out.data() + 1);
    ASSERT_TRUE(std::equal(in.begin(), in.end(), out.begin() + 1)) << bytes;
    ASSERT_TRUE(out.front() == std::byte{7} && out.back() == std::byte{7}) << bytes;
  }
}

TEST_F(Regions, MovesCopyBlocksWithBothStrides) {
  std::vector<std::byte> staging;
  for (int round = 0; round < 500; ++round) {
    auto from = randomRegion(false), to = randomRegion(true);
    to.bytes = from.bytes = std::min(from.bytes, to.bytes);
    to.count = from.count = std::min(from.count, to.count);
    std::vector<std::byte> expected(from.size()), got(from.size());
    pack(memory, {&from, 1}, expected.data());
    const wire::Move move{{from.tile, from.address},
                          {to.tile, to.address},
                          from.bytes,
                          from.count,
                          from.stride,
                          to.stride};
    runMoves(memory, {&move, 1}, true, staging);
    pack(memory, {&to, 1}, got.data());
    ASSERT_EQ(got, expected);
  }
}

TEST_F(Regions, OverlappingMovesReadAllSourcesFirst) {
  std::vector<std::byte> staging;
  memory.writeWord({0, kBase}, 1);
  memory.writeWord({1, kBase}, 2);
  const std::vector<wire::Move> swap = {{{0, kBase}, {1, kBase}, 4, 1, 0, 0},
                                        {{1, kBase}, {0, kBase}, 4, 1, 0, 0}};
  runMoves(memory, swap, true, staging);
  EXPECT_EQ(memory.readWord({0, kBase}), 2U);
  EXPECT_EQ(memory.readWord({1, kBase}), 1U);
}

TEST_F(Regions, EmptyRegionsMoveNothing) {
  const wire::Region empty{0, kBase, 4, 0, 4};
  std::byte untouched{7};
  pack(memory, {&empty, 1}, &untouched);
  EXPECT_EQ(untouched, std::byte{7});
}

} // namespace
} // namespace copse::ipud
