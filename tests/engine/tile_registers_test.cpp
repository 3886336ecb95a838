#include "devices.hpp"

#include <algorithm>
#include <poplar/CSRFunctions.hpp>
#include <poplar/RandomSeed.hpp>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

class TileRegisters : public OnEveryDevice {
protected:
  Tensor readable(const Tensor &t, const char *name) {
    graph_.createHostRead(name, t);
    return t;
  }
  std::size_t tiles() const { return graph_.getTarget().getNumTiles(); }
};
INSTANTIATE_TEST_SUITE_P(Devices, TileRegisters, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(TileRegisters, RestoreDifferentSeeds) {
  Sequence prog;
  const Tensor first = readable(getHwSeeds(graph_, prog), "first");
  const std::size_t workers = graph_.getTarget().getNumWorkerContexts();
  ASSERT_EQ(first.shape(), (std::vector<std::size_t>{tiles(), workers, 4}));
  setHwSeeds(graph_, first.reverse(0), prog);
  readable(getHwSeeds(graph_, prog), "second");
  Engine engine = load(prog);
  engine.run();
  const std::size_t perTile = workers * 4;
  auto seeds = read<unsigned>(engine, "first", tiles() * perTile);
  const auto later = read<unsigned>(engine, "second", seeds.size());
  for (std::size_t tile = 0; tile < tiles(); ++tile)
    EXPECT_TRUE(std::equal(seeds.begin() + tile * perTile, seeds.begin() + (tile + 1) * perTile,
                           later.begin() + (tiles() - 1 - tile) * perTile));
  std::sort(seeds.begin(), seeds.end());
  EXPECT_EQ(std::adjacent_find(seeds.begin(), seeds.end()), seeds.end());
}

TEST_P(TileRegisters, RefuseSeedsOfAnotherShape) {
  Sequence prog;
  const Tensor wrong = graph_.addVariable(UNSIGNED_INT, {tiles(), 4});
  EXPECT_THROW(setHwSeeds(graph_, wrong, prog), poplar_error);
  EXPECT_THROW(setFloatingPointBehaviour(graph_, prog, wrong), poplar_error);
}

TEST_P(TileRegisters, RestoreModifiedFloatingPointBehaviour) {
  const FloatingPointBehaviour none(false, false, false, false, false);
  const auto now = [&](Sequence &prog, const char *name) {
    return readable(getAndModifyFloatingPointBehaviour(graph_, prog, none, none), name);
  };
  Sequence prog;
  setFloatingPointBehaviour(graph_, prog, {true, true, false, false, true});
  const Tensor saved = getAndModifyFloatingPointBehaviour(
      graph_, prog, {true, false, false, false, false}, {false, false, true, false, false});
  setStochasticRounding(graph_, prog, true);
  now(prog, "modified");
  setFloatingPointBehaviour(graph_, prog, saved);
  now(prog, "restored");
  Engine engine = load(prog);
  engine.run();
  const auto rows = [&](std::vector<unsigned> row) {
    std::vector<unsigned> all;
    for (std::size_t tile = 0; tile < tiles(); ++tile)
      all.insert(all.end(), row.begin(), row.end());
    return all;
  };
  EXPECT_EQ(read<unsigned>(engine, "modified", 5 * tiles()), rows({0, 1, 1, 1, 1}));
  EXPECT_EQ(read<unsigned>(engine, "restored", 5 * tiles()), rows({1, 1, 0, 0, 1}));
}

TEST_P(TileRegisters, AreSetOnTheTilesOfAVirtualGraph) {
  Graph last =
      graph_.createVirtualGraph(static_cast<unsigned>(tiles() - 1), static_cast<unsigned>(tiles()));
  const FloatingPointBehaviour none(false, false, false, false, false);
  Sequence prog;
  setStochasticRounding(last, prog, true);
  readable(getAndModifyFloatingPointBehaviour(graph_, prog, none, none), "now");
  Engine engine = load(prog);
  engine.run();
  const auto flags = read<unsigned>(engine, "now", 5 * tiles());
  for (std::size_t i = 0; i < flags.size(); ++i)
    EXPECT_EQ(flags[i], i == 5 * (tiles() - 1) + 3);
}

TEST_P(TileRegisters, AreSetOnAllReplicasOfAReplicatedGraph) {
  if (tiles() % 2 != 0)
    GTEST_SKIP() << "the device has one tile";
  Graph inner = graph_.createReplicatedGraph(2);
  Sequence prog;
  const Tensor each = getHwSeeds(inner, prog);
  readable(getHwSeeds(graph_, prog), "all");
  readable(graph_.getNonReplicatedTensor(each), "each");
  Engine engine = load(prog);
  engine.run();
  const std::size_t words = tiles() * graph_.getTarget().getNumWorkerContexts() * 4;
  EXPECT_EQ(read<unsigned>(engine, "each", words), read<unsigned>(engine, "all", words));
}

} // namespace
} // namespace copse::test
