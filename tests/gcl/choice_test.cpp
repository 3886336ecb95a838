#include "choice.hpp"
#include "replicated_run.hpp"

#include <gmock/gmock.h>

#include <numeric>
#include <poplar/CycleCount.hpp>

namespace copse::test {
namespace {

using poplar::Tensor;

const char *const kForcedMethods[] = {"auto",
                                      "clockwise_ring",
                                      "anticlockwise_ring",
                                      "bidirectional_ring_pair",
                                      "meet_in_middle_ring",
                                      "direct",
                                      "broadcast",
                                      "hierarchical"};

struct ChoiceCase {
  const char *name;
  unsigned replicas, ipusPerReplica;
  std::size_t elements;
};
class Choices : public ::testing::TestWithParam<ChoiceCase> {};
INSTANTIATE_TEST_SUITE_P(
    Sizes, Choices,
    ::testing::Values(ChoiceCase{"Small2", 2, 1, 16}, ChoiceCase{"Small4", 4, 1, 16},
                      ChoiceCase{"Small8", 8, 1, 16}, ChoiceCase{"Small16", 16, 1, 512},
                      ChoiceCase{"Middle4", 4, 1, 4096}, ChoiceCase{"Middle8", 8, 1, 8192},
                      ChoiceCase{"Large2", 2, 1, 200000}, ChoiceCase{"Large4", 4, 1, 400000},
                      ChoiceCase{"Large8", 8, 1, 400000},
                      ChoiceCase{"LargeOfTwoIpus", 4, 2, 400000}),
    [](const auto &p) { return p.param.name; });

/// Modelled cycles of an all-reduce by each method.
std::map<std::string, std::uint64_t> measured(const ChoiceCase &c) {
  ReplicatedRun run({poplar::TargetType::IPU_MODEL, c.replicas, c.ipusPerReplica}, 32);
  const Tensor data = run.graph.addVariable(poplar::FLOAT, {c.elements}, "data");
  const unsigned tiles = run.graph.getTarget().getNumTiles();
  for (unsigned tile = 0; tile < tiles; ++tile)
    run.graph.setTileMapping(data.slice(c.elements * tile / tiles, c.elements * (tile + 1) / tiles),
                             tile);
  for (const std::string method : kForcedMethods) {
    poplar::program::Sequence reduce;
    gcl::allReduceInPlaceCrossReplica(run.graph, data, gcl::CollectiveOperator::ADD, reduce,
                                      "reduce", {{"method", method}});
    run.output(method, poplar::cycleCount(run.graph, reduce, 0, poplar::SyncType::EXTERNAL));
    run.prog.add(reduce);
  }
  run.run();
  std::map<std::string, std::uint64_t> cycles;
  for (const std::string method : kForcedMethods)
    for (const auto &words : run.read(method)) {
      const double all = words[0] + 4294967296.0 * words[1];
      cycles[method] = std::max(cycles[method], static_cast<std::uint64_t>(all));
    }
  return cycles;
}

TEST_P(Choices, AutoIsTheCheapestByTheModelledClock) {
  const auto cycles = measured(GetParam());
  std::uint64_t least = cycles.at("auto");
  for (const auto &[method, each] : cycles)
    least = std::min(least, each);
  // Syncs around what is measured, and ways of equal cost, differ by a little.
  EXPECT_LE(static_cast<double>(cycles.at("auto")), 1.02 * static_cast<double>(least))
      << ::testing::PrintToString(cycles);
}

/// What a plan sends over the busiest link and direction, as a multiple of the operand.
double busiestLink(gcl::Method method, unsigned replicas, const char *topology) {
  const std::size_t bytes = std::size_t{64} << 20;
  const poplar::Target target =
      poplar::Target::createIPUTarget(replicas, "ipu2", {{"ipuLinkTopology", topology}});
  gcl::Task task{gcl::Collective::AllReduce, {std::vector<unsigned>(replicas)}, 1, bytes, 1472};
  std::iota(task.groups[0].begin(), task.groups[0].end(), 0u);
  double least = 1e9;
  for (const gcl::Candidate &c :
       gcl::candidates(gcl::FabricModel::of(target, replicas), task, method))
    least = std::min(least, static_cast<double>(c.cost.busiestLinkBytes) / bytes);
  return least;
}

TEST(RingTraffic, MovesEachByteNoMoreOftenThanItMust) {
  for (const char *topology : {"mesh", "torus"})
    for (const unsigned replicas : {2u, 4u, 8u, 16u, 64u}) {
      const double must = 2.0 * (replicas - 1) / replicas;
      EXPECT_LE(busiestLink(gcl::Method::ClockwiseRing, replicas, topology), 1.05 * must);
      if (replicas > 2) { // both directions of the links are used
        EXPECT_LE(busiestLink(gcl::Method::BidirectionalRingPair, replicas, topology),
                  1.05 * must / 2);
      }
    }
}

} // namespace
} // namespace copse::test
