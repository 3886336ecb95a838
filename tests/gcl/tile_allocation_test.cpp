#include "operation_run.hpp"

#include <algorithm>
#include <cstdlib>
#include <gcl/TileAllocation.hpp>
#include <optional>
#include <poputil/exceptions.hpp>
#include <set>

namespace copse::test {
namespace {

poplar::Graph graphOf(unsigned tiles) {
  return poplar::Graph(poplar::Target::createIPUTarget(2, tiles, "ipu2"));
}

TEST(PerIpuTiles, TwoCallsShareNoTileAndHaveAll) {
  for (const unsigned tiles : {4u, 7u, 1472u}) {
    const poplar::Graph graph = graphOf(tiles);
    for (const bool pairs : {false, true}) {
      const unsigned n = std::min(32u, tiles / 2);
      const auto io = gcl::perIPUTiles(graph, 0, n, true, pairs);
      const auto compute = gcl::perIPUTiles(graph, n, tiles - n, true, pairs);
      std::set<unsigned> all(io.begin(), io.end());
      all.insert(compute.begin(), compute.end());
      EXPECT_EQ(io.size(), n);
      EXPECT_EQ(all.size(), tiles);
      EXPECT_EQ(*all.rbegin(), tiles - 1);
      EXPECT_TRUE(std::is_sorted(io.begin(), io.end()));
    }
  }
}

TEST(PerIpuTiles, AFewAreSpreadOverTheChip) {
  const auto tiles = gcl::perIPUTiles(graphOf(1472), 0, 32);
  for (unsigned quarter = 0; quarter < 4; ++quarter)
    EXPECT_GE(std::count_if(tiles.begin(), tiles.end(),
                            [&](unsigned tile) { return tile / 368 == quarter; }),
              4);
}

TEST(PerIpuTiles, MoreThanThereAreIsAnError) {
  EXPECT_THROW(gcl::perIPUTiles(graphOf(8), 4, 5), poputil::poplibs_error);
}

TEST(MinIoTiles, Are32UnlessTheEnvironmentSaysOtherwise) {
  EXPECT_EQ(gcl::getMinIoTiles(graphOf(1472)), 32u);
  EXPECT_EQ(gcl::getMinIoTiles(graphOf(8)), 4u);
  setenv("GCL_NUM_IO_TILES", "6", 1);
  EXPECT_EQ(gcl::getMinIoTiles(graphOf(8)), 6u);
  setenv("GCL_NUM_IO_TILES", "many", 1);
  EXPECT_THROW(gcl::getMinIoTiles(graphOf(8)), poputil::poplibs_error);
  unsetenv("GCL_NUM_IO_TILES");
}

} // namespace
} // namespace copse::test
