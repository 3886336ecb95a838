#include "choice.hpp"
#include "collective_options.hpp"
#include "replicated_run.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <numeric>
#include <poplar/CycleCount.hpp>

namespace copse::test {
namespace {

using poplar::Tensor;

gcl::Task taskOf(gcl::Collective collective, unsigned replicas, std::size_t bytes) {
  gcl::Task task;
  task.collective = collective;
  task.groups.emplace_back(replicas);
  std::iota(task.groups.front().begin(), task.groups.front().end(), 0u);
  task.bytes = bytes;
  task.tiles = 1472;
  return task;
}

TEST(ChoiceByDomain, SendsLittleAcrossDomains) {
  const auto target = poplar::Target::createIPUTarget(1, "IPU-POD256"); // domains of 64
  const std::size_t bytes = 51'200'000;
  for (const unsigned replicas : {128u, 256u})
    for (const auto &[collective, operand] :
         {std::pair{gcl::Collective::AllReduce, bytes},
          std::pair{gcl::Collective::ReduceScatter, bytes},
          std::pair{gcl::Collective::AllGather, bytes / replicas}}) {
      const gcl::Choice choice =
          gcl::choose(target, taskOf(collective, replicas, operand), std::nullopt);
      const std::string what = std::to_string(static_cast<int>(collective));
      EXPECT_EQ(choice.method, gcl::Method::Hierarchical) << what << " of " << replicas;
      EXPECT_EQ(choice.inner, 64u) << what << " of " << replicas;
    }
}

/// Returns the least cycles of all methods, on a target of \p system.
std::uint64_t leastCycles(const char *system, unsigned replicas) {
  const gcl::Task task = taskOf(gcl::Collective::AllReduce, replicas, 1'000'000);
  const auto model = gcl::FabricModel::of(poplar::Target::createIPUTarget(1, system), replicas);
  std::uint64_t least = UINT64_MAX;
  for (const gcl::Candidate &candidate : gcl::candidates(model, task, std::nullopt))
    least = std::min(least, candidate.cost.cycles);
  return least;
}

TEST(ChoiceByDomain, TreatsGatewaysAsSlowerThanIpuLinks) {
  EXPECT_EQ(leastCycles("IPU-POD64", 64), leastCycles("ipu2", 64));
  EXPECT_GT(leastCycles("IPU-POD128", 128), leastCycles("ipu2", 128));
}

TEST(CollectiveOptionsOfTheEnvironment, OverrideTheProgramsOptions) {
  const poplar::OptionFlags given{{"method", "direct"}};
  EXPECT_EQ(gcl::parseMethod(given), gcl::Method::Direct);
  ::setenv("GCL_OPTIONS", R"({"method": "meet_in_middle_ring"})", 1);
  EXPECT_EQ(gcl::parseMethod(given), gcl::Method::MeetInMiddleRing);
  ::setenv("GCL_OPTIONS", R"({"method": "fastest"})", 1);
  EXPECT_THROW(gcl::parseMethod(given), poplar::poplar_error);
  ::unsetenv("GCL_OPTIONS");
}

TEST(ChoiceLog, NamesTheMethodAndItsAlternatives) {
  gcl::Task task;
  task.groups = {{0, 1, 2, 3}};
  task.bytes = 4096;
  const auto target = poplar::Target::createIPUTarget(1, "ipu2");
  const auto logged = [&](const char *level) {
    ::setenv("GCL_LOG_LEVEL", level, 1);
    ::testing::internal::CaptureStderr();
    gcl::choose(target, task, gcl::Method::Direct);
    ::unsetenv("GCL_LOG_LEVEL");
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(logged("OFF"), "");
  EXPECT_THAT(logged("info"), ::testing::HasSubstr("all-reduce of 4096 bytes over 1 x 4 replicas: "
                                                   "direct, "));
  EXPECT_THAT(logged("DEBUG"), ::testing::HasSubstr("[gcl] [debug]   direct, "));
  EXPECT_THROW(logged("loud"), std::exception);
  ::unsetenv("GCL_LOG_LEVEL");
  ::testing::internal::GetCapturedStderr();
}

const char *const kForcedMethods[] = {"auto",
                                      "clockwise_ring",
                                      "anticlockwise_ring",
                                      "bidirectional_ring_pair",
                                      "meet_in_middle_ring",
                                      "direct",
                                      "broadcast",
                                      "hierarchical"};

using gcl::Collective;

struct ChoiceCase {
  const char *name;
  Collective collective;
  unsigned replicas, ipusPerReplica;
  std::size_t elements; ///< elements of the operand of each replica
};
class Choices : public ::testing::TestWithParam<ChoiceCase> {};
INSTANTIATE_TEST_SUITE_P(
    AllReduce, Choices,
    ::testing::Values(ChoiceCase{"Small2", Collective::AllReduce, 2, 1, 16},
                      ChoiceCase{"Small4", Collective::AllReduce, 4, 1, 16},
                      ChoiceCase{"Small8", Collective::AllReduce, 8, 1, 16},
                      ChoiceCase{"Small16", Collective::AllReduce, 16, 1, 512},
                      ChoiceCase{"Middle4", Collective::AllReduce, 4, 1, 4096},
                      ChoiceCase{"Middle8", Collective::AllReduce, 8, 1, 8192},
                      ChoiceCase{"Large2", Collective::AllReduce, 2, 1, 200000},
                      ChoiceCase{"Large4", Collective::AllReduce, 4, 1, 400000},
                      ChoiceCase{"Large8", Collective::AllReduce, 8, 1, 400000},
                      ChoiceCase{"LargeOfTwoIpus", Collective::AllReduce, 4, 2, 400000}),
    [](const auto &p) { return p.param.name; });
INSTANTIATE_TEST_SUITE_P(
    ReduceScatter, Choices,
    ::testing::Values(ChoiceCase{"Small4", Collective::ReduceScatter, 4, 1, 16},
                      ChoiceCase{"Small16", Collective::ReduceScatter, 16, 1, 512},
                      ChoiceCase{"Middle8", Collective::ReduceScatter, 8, 1, 8192},
                      ChoiceCase{"Large4", Collective::ReduceScatter, 4, 1, 400000},
                      ChoiceCase{"Large8", Collective::ReduceScatter, 8, 1, 400000}),
    [](const auto &p) { return p.param.name; });
INSTANTIATE_TEST_SUITE_P(
    AllGather, Choices,
    ::testing::Values(ChoiceCase{"Small4", Collective::AllGather, 4, 1, 16},
                      ChoiceCase{"Small16", Collective::AllGather, 16, 1, 32},
                      ChoiceCase{"Middle8", Collective::AllGather, 8, 1, 1024},
                      ChoiceCase{"Large4", Collective::AllGather, 4, 1, 100000},
                      ChoiceCase{"Large8", Collective::AllGather, 8, 1, 50000}),
    [](const auto &p) { return p.param.name; });

void add(Collective collective, poplar::Graph &graph, const Tensor &data,
         poplar::program::Sequence &prog, const std::string &method) {
  const poplar::OptionFlags options{{"method", method}};
  if (collective == Collective::AllReduce)
    gcl::allReduceInPlaceCrossReplica(graph, data, gcl::CollectiveOperator::ADD, prog, "reduce",
                                      options);
  else if (collective == Collective::ReduceScatter)
    gcl::reduceScatterCrossReplica(graph, data, gcl::CollectiveOperator::ADD, prog, "scatter",
                                   options);
  else
    gcl::allGatherCrossReplica(graph, data, prog, "gather", options);
}

/// Returns the modelled cycles of a collective by each method.
std::map<std::string, std::uint64_t> measured(const ChoiceCase &c) {
  ReplicatedRun run({poplar::TargetType::IPU_MODEL, c.replicas, c.ipusPerReplica}, 32);
  const Tensor data = run.graph.addVariable(poplar::FLOAT, {c.elements}, "data");
  const unsigned tiles = run.graph.getTarget().getNumTiles();
  for (unsigned tile = 0; tile < tiles; ++tile)
    run.graph.setTileMapping(data.slice(c.elements * tile / tiles, c.elements * (tile + 1) / tiles),
                             tile);
  for (const std::string method : kForcedMethods) {
    poplar::program::Sequence collective;
    add(c.collective, run.graph, data, collective, method);
    run.output(method, poplar::cycleCount(run.graph, collective, 0, poplar::SyncType::EXTERNAL));
    run.prog.add(collective);
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
  // Syncs around the measured part, and methods of equal cost, differ by a little.
  EXPECT_LE(static_cast<double>(cycles.at("auto")), 1.02 * static_cast<double>(least))
      << ::testing::PrintToString(cycles);
}

/// Returns what a plan sends over the busiest link and direction, as a multiple of the operand.
double busiestLink(gcl::Method method, unsigned replicas, const char *topology) {
  const std::size_t bytes = std::size_t{64} << 20;
  const poplar::Target target =
      poplar::Target::createIPUTarget(replicas, "ipu2", {{"ipuLinkTopology", topology}});
  const gcl::Task task = taskOf(gcl::Collective::AllReduce, replicas, bytes);
  double least = 1e9;
  for (const gcl::Candidate &c :
       gcl::candidates(gcl::FabricModel::of(target, replicas), task, method))
    least = std::min(least, static_cast<double>(c.cost.busiestLinkBytes) / bytes);
  return least;
}

TEST(RingTraffic, MovesEachByteAsRarelyAsPossible) {
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
