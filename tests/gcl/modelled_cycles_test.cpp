// Tests that collectives on devices that execute nothing take as many cycles as on those that
// execute.
#include "replicated_run.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <tuple>

namespace copse::test {
namespace {

using namespace poplar;

constexpr unsigned kTilesPerIpu = 8;

struct AllReduce {
  const char *topology = "mesh", *method = "auto";
  unsigned replicas = 2, ipusPerReplica = 1;
  std::size_t elements = 500;
};

Device modelOf(const AllReduce &run, const char *execution) {
  IPUModel model;
  model.numIPUs = run.replicas * run.ipusPerReplica;
  model.tilesPerIPU = kTilesPerIpu;
  return model.createDevice({{"ipuLinkTopology", run.topology}, {"copse.execution", execution}});
}

/// Returns the modelled cycles of an all-reduce on \p device.
std::uint64_t cyclesOn(const Device &device, const AllReduce &run) {
  Graph graph(device, replication_factor(run.replicas));
  const Tensor data =
      graph.addVariable(FLOAT, {run.elements}, VariableMappingMethod::LINEAR, "data");
  program::Sequence prog;
  gcl::allReduceInPlaceCrossReplica(graph, data, gcl::CollectiveOperator::ADD, prog, "sum",
                                    {{"method", run.method}});
  Engine engine(graph, prog, {{"debug.instrument", "true"}});
  engine.load(device);
  engine.run();
  const ProfileValue profile = engine.getExecutionProfile();
  const ProfileValue &first = profile["runs"].asVector().at(0);
  return first["to"].asUint64() - first["from"].asUint64();
}

using MethodCase = std::tuple<const char *, const char *, unsigned>;

class ModelledAllReduce : public ::testing::TestWithParam<MethodCase> {};

TEST_P(ModelledAllReduce, TakesAsManyCyclesAsAnExecution) {
  const auto &[method, topology, replicas] = GetParam();
  for (const unsigned ipusPerReplica : {1U, 2U}) {
    const AllReduce run{topology, method, replicas, ipusPerReplica};
    if (replicas * ipusPerReplica > 16)
      continue;
    const std::uint64_t executed = cyclesOn(modelOf(run, "full"), run);
    EXPECT_GT(executed, 0U);
    EXPECT_EQ(cyclesOn(modelOf(run, "modelled"), run), executed)
        << ipusPerReplica << " IPUs per replica";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Methods, ModelledAllReduce,
    ::testing::Combine(::testing::Values("auto", "clockwise_ring", "anticlockwise_ring",
                                         "bidirectional_ring_pair", "meet_in_middle_ring", "direct",
                                         "broadcast", "hierarchical"),
                       ::testing::Values("mesh", "torus"), ::testing::Values(2U, 4U, 8U, 16U)),
    [](const auto &p) {
      return std::string(std::get<0>(p.param)) + "_" + std::get<1>(p.param) + "_" +
             std::to_string(std::get<2>(p.param));
    });

TEST(ModelledAllReduceOnIpuds, TakesAsManyCyclesAsAnExecution) {
  for (const unsigned replicas : {2U, 4U, 8U, 16U}) {
    const AllReduce run{"torus", "auto", replicas};
    for (Device &ipuds : DeviceManager().getDevices(TargetType::IPU, replicas,
                                                    {{"ipuLinkTopology", run.topology}})) {
      if (!ipuds.attach())
        continue;
      IPUModel model; // as many tiles as an ipud has, because the plan depends on their number
      model.numIPUs = replicas;
      const Device modelled =
          model.createDevice({{"ipuLinkTopology", run.topology}, {"copse.execution", "modelled"}});
      EXPECT_EQ(cyclesOn(modelled, run), cyclesOn(ipuds, run)) << replicas << " replicas";
      break;
    }
  }
}

} // namespace
} // namespace copse::test
