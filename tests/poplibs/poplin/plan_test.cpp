#include "blocks.hpp"
#include "plan.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

namespace poplin::plan {
namespace {

ConvParams matMul(std::size_t m, std::size_t k, std::size_t n,
                  const poplar::Type &type = poplar::FLOAT) {
  return ConvParams(type, type, 1, {m}, {1}, k, n, 1);
}
poplar::Target mk2() { return poplar::Target::createIPUTarget(1, "ipu2"); }

std::vector<ConvParams> someProblems() {
  std::mt19937 random(11);
  const auto upTo = [&](std::size_t n) { return std::size_t{1} + random() % n; };
  std::vector<ConvParams> problems{matMul(1024, 1024, 1024), matMul(1, 784, 10),
                                   matMul(4096, 4096, 4096, poplar::HALF)};
  for (int i = 0; i != 20; ++i) {
    const bool half = random() % 2 == 0;
    ConvParams p(half ? poplar::HALF : poplar::FLOAT, upTo(8), {upTo(40) + 4, upTo(40) + 4},
                 {upTo(4), upTo(4)}, upTo(70), upTo(70), upTo(3));
    p.outputTransform.stride = {static_cast<unsigned>(upTo(2)), 1};
    problems.push_back(p);
  }
  return problems;
}

TEST(Planner, CostIsNotAboveThatOfAnyNeighbour) {
  for (const ConvParams &p : someProblems()) {
    const Plan plan = makePlan(p, mk2(), {});
    for (const Partition &other : neighbours(p, mk2(), {}, plan.partition))
      EXPECT_FALSE(costOf(p, mk2(), {}, other) < plan.cost) << p << plan << Plan{other, {}};
  }
}

TEST(Planner, KeepsToTheTilesThatThereAre) {
  for (const unsigned tiles : {1U, 7U, 64U}) {
    const auto target = poplar::Target::createIPUTarget(1, tiles, "ipu2");
    for (const ConvParams &p : someProblems())
      EXPECT_LE(makePlan(p, target, {}).partition.tiles(), tiles);
  }
}

TEST(Planner, KeepsToTheMemoryProportion) {
  Demands demands;
  for (const double proportion : {0.6, 0.2, 0.1}) {
    demands.availableMemoryProportion = proportion;
    const Plan plan = makePlan(matMul(2048, 2048, 2048), mk2(), demands);
    EXPECT_EQ(plan.cost.excess, 0U) << plan;
    EXPECT_LE(static_cast<double>(plan.cost.bytes), proportion * mk2().getBytesPerTile());
  }
}

TEST(Planner, TakesTheLeastMemoryIfNothingFits) {
  Demands demands;
  demands.availableMemoryProportion = 0;
  const Plan plan = makePlan(matMul(256, 256, 256), mk2(), demands);
  EXPECT_GT(plan.cost.excess, 0U);
  EXPECT_LT(plan.cost.bytes, 20000U);
}

TEST(Planner, LargeProductsOfHalvesReachHalfOfThePeak) {
  Demands demands;
  demands.partialType = poplar::HALF;
  const Plan plan = makePlan(matMul(2048, 2048, 2048, poplar::HALF), mk2(), demands);
  const double macs = 2048.0 * 2048 * 2048 / mk2().getNumTiles();
  EXPECT_GT(macs / static_cast<double>(plan.cost.cycles()), 0.5 * 64);
}

TEST(Planner, InnerProductsTakeTheRateOfTheUnits) {
  // There are many rows, so the constant cost of a pass is small.
  const auto rate = [](const poplar::Type &in, const poplar::Type &partial) {
    return 6000.0 * 64 * 64 /
           static_cast<double>(innerProductCycles(mk2(), in, partial, 6000, 64, 64, 1));
  };
  EXPECT_NEAR(rate(poplar::FLOAT, poplar::FLOAT), 16, 0.5);
  EXPECT_NEAR(rate(poplar::HALF, poplar::HALF), 64, 2);
  EXPECT_NEAR(rate(poplar::HALF, poplar::FLOAT), 32, 1);
}

TEST(Blocks, CoverEveryElementOnce) {
  for (const ConvParams &p : someProblems()) {
    const Plan plan = makePlan(p, mk2(), {});
    const Blocks blocks = blocksOf(p, mk2(), {}, plan.partition);
    std::size_t products = 0;
    for (unsigned step = 0; step != blocks.outChannels.size(); ++step) {
      const auto cells = cellsOf(blocks, step);
      EXPECT_EQ(cells.size(), plan.partition.tiles());
      for (const Cell &cell : cells)
        products += cell.outElements() * cell.kernelElements() * cell.inChannels.size();
    }
    std::size_t expected =
        p.numConvGroups * p.batchSize * p.inputChannelsPerConvGroup * p.outputChannelsPerConvGroup;
    for (unsigned d = 0; d != p.getNumFieldDims(); ++d)
      expected *= p.getOutputSize(d) * p.kernelShape[d];
    EXPECT_EQ(products, expected);
  }
}

TEST(Plan, IsPrintedForPeople) {
  std::ostringstream out;
  out << makePlan(matMul(16, 16, 16), mk2(), {});
  EXPECT_EQ(out.str(), "parts: groups 1, batch 1, field {1}, kernel {1}, input channels 1, output "
                       "channels 1, one after the other 1\ntiles: 1, partial sums for each output: "
                       "1\ncycles: exchange 0, compute 968, reduce 0, in all 968\nbytes on the "
                       "fullest tile: 3072\n");
}

} // namespace
} // namespace poplin::plan
