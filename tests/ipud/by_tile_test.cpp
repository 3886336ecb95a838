// Compares an exchange whose moves may be executed with the compute set that follows, tile by tile
// (wire::Exchange::byTile), with the same steps one after the other.
#include "one_ipu.hpp"

#include <gmock/gmock.h>

#include <random>

namespace copse::ipud {
namespace {

using test::ImageBuilder;
using test::kBase;
using test::OneIpu;
using test::step;
using ::testing::HasSubstr;
using wire::Op;

constexpr std::uint32_t kTiles = 70; // more than a thread takes at once
constexpr std::uint32_t kSource = kBase + 0x1000, kBuffer = kBase + 0x2000, kOut = kBase + 0x3000,
                        kStates = kBase + 0x400, kWords = 64;

/// Each tile with vertices sums words that come from other tiles, and changes them.
struct SumsOfOthers : ImageBuilder {
  explicit SumsOfOthers(bool byTile, std::uint32_t faultyTile = kTiles) : ImageBuilder(kTiles) {
    addExchange();
    image.exchanges.back().byTile = byTile;
    addSums(faultyTile);
    computeSet("next sources");
    const auto addOne = function("addOne");
    for (std::uint32_t tile = 0; tile < kTiles; ++tile) {
      words({tile, kSource}, {tile, 3 * tile});
      vertex(tile, addOne, kStates + 128, {kSource + tile % kWords * 4});
      view({tile, kSource}, 4 * kWords);
      view({tile, kBuffer}, 4 * kWords);
      view({tile, kOut}, 4);
    }
    wire::Step repeat = step(Op::Repeat);
    repeat.count = 3;
    repeat.body = 3;
    program({repeat, step(Op::Exchange), step(Op::ComputeSet), step(Op::ComputeSet, 1)});
  }

private:
  static bool hasVertices(std::uint32_t tile) {
    return tile != 0 && tile % 7 != 3 && tile < kTiles - 2;
  }

  void addExchange() {
    std::mt19937 random(11);
    wire::Exchange &exchange = image.exchanges.emplace_back();
    exchange.name = "gather";
    for (std::uint32_t to = 0; to < kTiles; ++to)
      for (std::uint32_t word = 0; to % 5 != 1 && word < kWords;) {
        const std::uint32_t count =
            std::min<std::uint32_t>(1 + static_cast<std::uint32_t>(random() % 24), kWords - word);
        const auto from = static_cast<std::uint32_t>(random() % kTiles);
        exchange.moves.push_back(
            {{from, kSource + 4 * word}, {to, kBuffer + 4 * word}, 4 * count, 1, 0, 0});
        word += count;
      }
  }
  void addSums(std::uint32_t faultyTile) {
    const auto sum = function("sum"), addOne = function("addOne"),
               addWorker = function("addWorker", true), readAt = function("readAt");
    computeSet("sums");
    for (std::uint32_t tile = 0; tile < kTiles; ++tile) {
      if (!hasVertices(tile))
        continue;
      vertex(tile, sum, kStates, {kBuffer, kWords, kOut});
      vertex(tile, addOne, kStates + 32, {kBuffer});
      vertex(tile, addWorker, kStates + 64, {kBuffer + 16});
      if (tile == faultyTile)
        vertex(tile, readAt, kStates + 96, {0x1FFFF0});
    }
  }
};

std::vector<std::int32_t> contentsOf(const OneIpu &one) {
  std::vector<std::int32_t> all;
  for (std::uint32_t view = 0; view < 3 * kTiles; ++view)
    for (const std::int32_t value : one.values(view))
      all.push_back(value);
  return all;
}

class ByTile : public ::testing::TestWithParam<unsigned> {};

TEST_P(ByTile, LeavesTheSameBytesAndTimesAsOneStepAfterTheOther) {
  OneIpu plain({.threads = 1});
  const auto expected = plain.run(SumsOfOthers(false).image);
  ASSERT_TRUE(expected.ok()) << expected.status().message;
  OneIpu one({.threads = GetParam()});
  const auto report = one.run(SumsOfOthers(true).image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  EXPECT_EQ(contentsOf(one), contentsOf(plain));
  EXPECT_EQ((*report).end, (*expected).end);
  EXPECT_EQ((*report).steps, (*expected).steps);
  EXPECT_EQ((*report).vertices, (*expected).vertices);
}

TEST_P(ByTile, AFaultLeavesTheExchangeComplete) {
  constexpr std::uint32_t kFaulty = 8, kUnused = kTiles - 1; // without vertices
  OneIpu plain({.threads = 1});
  ASSERT_FALSE(plain.run(SumsOfOthers(false, kFaulty).image).ok());
  OneIpu one({.threads = GetParam()});
  const auto report = one.run(SumsOfOthers(true, kFaulty).image);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.status().message, HasSubstr("tile 8"));
  EXPECT_EQ(one.values(3 * kUnused + 1), plain.values(3 * kUnused + 1));
  for (std::uint32_t tile = 0; tile < kTiles; ++tile) {
    // The first words are those that a tile's vertices change, if they have run.
    auto is = one.values(3 * tile + 1), expected = plain.values(3 * tile + 1);
    is.erase(is.begin(), is.begin() + 10);
    expected.erase(expected.begin(), expected.begin() + 10);
    EXPECT_EQ(is, expected) << "tile " << tile;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ByTile, ::testing::Values(1U, 2U, 3U));

TEST(ByTileOrNot, TimedStepsRunOneAfterTheOther) {
  OneIpu one;
  ASSERT_TRUE(one.load(SumsOfOthers(true).image).ok());
  const auto report = one.ipu.run(0, one.environment, {}, true);
  ASSERT_TRUE(report.ok());
  std::size_t exchanges = 0;
  for (const auto &time : (*report).times.steps)
    exchanges += time.step == 1;
  EXPECT_EQ(exchanges, 3U);
}

} // namespace
} // namespace copse::ipud
