// Tests the cycles of vertices with an estimate (docs/timing-model.md).
#include "devices.hpp"
#include "timed_set.hpp"

#include <cstdint>
#include <sstream>
#include <string>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

const char *const kEstimatedCyclesCodelets = R"(
#include <poplar/Vertex.hpp>
class OnOneWorker : public poplar::Vertex {
public:
  bool compute() { return true; }
};
class OnAllWorkers : public poplar::MultiVertex {
public:
  bool compute(unsigned) { return true; }
};
class OnTheSupervisor : public poplar::SupervisorVertex {
public:
  __attribute__((target("supervisor"))) bool compute() { return true; }
};
)";

class EstimatedCycles : public ::testing::Test {
protected:
  /// Returns the time of a compute set with \p vertices vertices on one tile [modelled cycles].
  static std::uint64_t cycles(const std::string &type, std::uint64_t estimate,
                              unsigned vertices = 1, bool byType = false) {
    const Device device = IPUModel("ipu2").createDevice();
    Graph graph(device.getTarget());
    std::stringstream codelets(kEstimatedCyclesCodelets);
    graph.addCodelets(codelets);
    const ComputeSet set = graph.addComputeSet("set");
    for (unsigned i = 0; i != vertices; ++i) {
      const VertexRef v = graph.addVertex(set, type);
      graph.setTileMapping(v, 0);
      if (!byType)
        graph.setPerfEstimate(v, estimate);
    }
    if (byType)
      graph.registerPerfEstimator(
          type, [=](const VertexIntrospector &, const Target &) { return estimate; });
    return cyclesOf(graph, set, device);
  }
};

TEST_F(EstimatedCycles, AreTurnsOfTheWorkerThatRunsTheVertex) {
  EXPECT_EQ(cycles("OnOneWorker", 1100) - cycles("OnOneWorker", 100), 6 * 1000u);
  EXPECT_EQ(cycles("OnOneWorker", 1100, 1, true), cycles("OnOneWorker", 1100));
}

TEST_F(EstimatedCycles, PassAtTheSameTimeOnSixWorkers) {
  EXPECT_EQ(cycles("OnOneWorker", 1100, 6) - cycles("OnOneWorker", 100, 6), 6 * 1000u);
  EXPECT_EQ(cycles("OnOneWorker", 1100, 12) - cycles("OnOneWorker", 100, 12), 2 * 6 * 1000u);
}

TEST_F(EstimatedCycles, AreTheTilesForAMultiVertexAndASupervisor) {
  EXPECT_EQ(cycles("OnAllWorkers", 1100) - cycles("OnAllWorkers", 100), 1000u);
  EXPECT_EQ(cycles("OnAllWorkers", 1100, 1, true), cycles("OnAllWorkers", 1100));
  EXPECT_EQ(cycles("OnTheSupervisor", 1100) - cycles("OnTheSupervisor", 100), 1000u);
}

} // namespace
} // namespace copse::test
