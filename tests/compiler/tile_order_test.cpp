#include "models.hpp"
#include "tile_order.hpp"
#include "vertex_memory.hpp"

#include "compiler/compute_set_lowering.hpp"

#include <gtest/gtest.h>

namespace copse::compiler {
namespace {

/// Returns an exchange in which tiles 1 and 2 get 16 bytes each from tile 0 and from tile 1.
wire::Exchange gather() {
  wire::Exchange exchange;
  exchange.moves = {{{0, 100}, {1, 400}, 16, 1, 0, 0}, {{1, 100}, {2, 400}, 4, 4, 8, 4}};
  return exchange;
}

TEST(TileOrder, LetsTilesStartThatWriteNothingThatOthersRead) {
  EXPECT_TRUE(canGoByTile(gather(), {}));
  // The destination lies beside the source, and on another tile.
  EXPECT_TRUE(canGoByTile(
      gather(), {{0, 116, 8, 1, 0}, {0, 84, 16, 1, 0}, {1, 128, 8, 1, 0}, {2, 100, 16, 1, 0}}));
  EXPECT_TRUE(canGoByTile(gather(), {{0, 104, 0, 1, 0}})) << "nothing is written";
}

TEST(TileOrder, SeesEachByteThatIsReadAndWritten) {
  for (const std::uint32_t address : {97U, 104U, 115U})
    EXPECT_FALSE(canGoByTile(gather(), {{0, address, 4, 1, 0}})) << address;
  EXPECT_FALSE(canGoByTile(gather(), {{1, 90, 200, 1, 0}})) << "around it";
  EXPECT_FALSE(canGoByTile(gather(), {{1, 80, 30, 1, 0}, {1, 85, 2, 1, 0}})) << "a long one first";
  EXPECT_FALSE(canGoByTile(gather(), {{1, 126, 4, 1, 0}})) << "the last block";
}

TEST(TileOrder, NeedsMovesInTheOrderOfTheTiles) {
  wire::Exchange exchange = gather();
  std::swap(exchange.moves[0], exchange.moves[1]);
  EXPECT_FALSE(canGoByTile(exchange, {}));
}

TEST(TileOrder, ExcludesStagedMovesAndMovesToOtherIpus) {
  wire::Exchange staged = gather(), sends = gather(), receives = gather(), replicas = gather();
  staged.overlapping = true;
  sends.sends.emplace_back();
  receives.receives.emplace_back();
  replicas.replicaMap = {1, 0};
  for (const wire::Exchange &exchange : {staged, sends, receives, replicas})
    EXPECT_FALSE(canGoByTile(exchange, {}));
}

/// Returns the exchange before a vertex on tile 1 that reads a variable of tile 0.
wire::Exchange gatherOf(const graph::Model &model) {
  const VertexIndex index(model);
  TileAllocator allocator(2, 0x40000, 0x40000);
  const Liveness liveness = nothingShared(model);
  MemoryRules rules(model, index, liveness.homes);
  Placement placement(model, liveness, rules, allocator);
  VertexMemory vertices(model, index, placement, rules, allocator);
  MemorySharing sharing(allocator, liveness.ranges);
  vertices.placeBuffers(liveness, sharing);
  std::vector<wire::Image> images(1);
  ComputeSetLowering(model, index, placement, vertices).emit(images, {0}, [](std::uint32_t) {
    return std::nullopt;
  });
  return images[0].exchanges.at(0);
}

TEST(TileOrder, ExcludesInputsThatVerticesMayChange) {
  using popc::FieldDirection;
  graph::Model model = test::emptyModel(1, 2);
  const auto input = test::addVariable(model, "in", {0, 0}),
             output = test::addVariable(model, "out", {1, 1});
  const auto type =
      test::addVertexType(model, "V", {FieldDirection::Input, FieldDirection::Output});
  const auto vertex = test::addVertex(model, test::addComputeSet(model, "set"), type, 1);
  test::connect(model, vertex, 0, {{input, 0, 2, 1}});
  test::connect(model, vertex, 1, {{output, 0, 2, 1}});
  EXPECT_TRUE(gatherOf(model).byTile);
  model.tileRegisters["hwSeeds"] = input;
  EXPECT_FALSE(gatherOf(model).byTile);
}

} // namespace
} // namespace copse::compiler
