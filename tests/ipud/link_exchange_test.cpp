#include "exchange/link_exchange.hpp"
#include "image_builder.hpp"
#include "memory_environment.hpp"
#include "one_ipu.hpp"

#include <gtest/gtest.h>

#include <random>

namespace copse::ipud {
namespace {

using test::geometry;
using test::kBase;

constexpr std::uint32_t kTiles = 16, kHalf = 64 << 10; ///< bytes of each tile that the test uses

class MovesOfManyBytes : public ::testing::TestWithParam<unsigned> {
protected:
  MovesOfManyBytes() {
    EXPECT_TRUE(memory.map(geometry(kTiles)).ok());
    std::mt19937 random{7};
    for (std::uint32_t tile = 0; tile < kTiles; ++tile)
      for (std::uint32_t i = 0; i < 2 * kHalf; ++i)
        *memory.at(tile, kBase + i) = static_cast<std::byte>(random());
  }

  /// Returns an exchange from the first half of each tile, piece by piece, to the second half of
  /// all tiles.
  static wire::Exchange scattered(std::uint32_t pieceBytes) {
    wire::Exchange exchange;
    for (std::uint32_t piece = 0; piece < kHalf / pieceBytes * kTiles; ++piece) {
      const std::uint32_t from = piece % kTiles, to = (piece * 7 + piece / kTiles) % kTiles;
      const std::uint32_t address = kBase + piece / kTiles * pieceBytes;
      exchange.moves.push_back({{from, address}, {to, address + kHalf}, pieceBytes, 1, 0, 0});
    }
    return exchange;
  }

  TileMemory memory;
};

TEST_P(MovesOfManyBytes, ArriveWholeHoweverManyThreadsShareThem) {
  ThreadTeam team(GetParam());
  const PlaceInPartition place;
  LinkExchange links(memory, team, place, 0);
  test::Partition partition(1, 1, {test::machine(), wire::Topology::Mesh, 1});
  test::MemoryEnvironment environment(partition, 0);
  const wire::Exchange exchange = scattered(192);
  std::vector<std::byte> expected;
  for (const wire::Move &move : exchange.moves)
    expected.insert(expected.end(), memory.at(move.from), memory.at(move.from) + move.bytes);
  for (int round = 0; round < 20; ++round) {
    for (std::uint32_t tile = 0; tile < kTiles; ++tile)
      std::memset(memory.at(tile, kBase + kHalf), 0, kHalf);
    ASSERT_TRUE(links.run({&exchange, 1}, 0, environment).ok());
    const std::byte *at = expected.data();
    for (const wire::Move &move : exchange.moves) {
      ASSERT_EQ(std::memcmp(memory.at(move.to), at, move.bytes), 0);
      at += move.bytes;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Threads, MovesOfManyBytes, ::testing::Values(1U, 2U, 3U));

} // namespace
} // namespace copse::ipud
