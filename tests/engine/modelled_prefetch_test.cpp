// Tests the time that prefetch saves on the modelled clock.
#include "devices.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

constexpr unsigned kRounds = 40, kRowElements = 20'000;

class Rows : public StreamCallback {
public:
  void fetch(void *p) override { std::fill_n(static_cast<int *>(p), kRowElements, 1); }
  Result prefetch(void *p) override {
    fetch(p);
    return Success;
  }
  void complete() override {}
};

/// Returns the modelled cycles of kRounds iterations: a row is read if \p fills; then work of \p
/// compute cycles, if that is not 0.
std::uint64_t cyclesOf(bool fills, unsigned compute) {
  IPUModel model;
  model.tilesPerIPU = 4;
  const Device device = model.createDevice();
  device.attach();
  Graph graph(device);
  std::stringstream codelet("#include <poplar/Vertex.hpp>\n"
                            "struct Work : poplar::Vertex { poplar::InOut<int> x;\n"
                            "  bool compute() { ++*x; return true; } };");
  graph.addCodelets(codelet);
  const Tensor row = graph.addVariable(INT, {kRowElements}, VariableMappingMethod::LINEAR, "row");
  Sequence round;
  if (fills)
    round.add(Copy(graph.addHostToDeviceFIFO("in", INT, kRowElements), row));
  if (compute > 0) {
    const ComputeSet set = graph.addComputeSet("work");
    const VertexRef vertex = graph.addVertex(set, "Work", {{"x", row[0]}});
    graph.setTileMapping(vertex, 0);
    graph.setPerfEstimate(vertex, compute);
    round.add(Execute(set));
  }
  Engine engine(graph, Repeat(kRounds, round),
                {{"exchange.enablePrefetch", "true"}, {"exchange.streamBufferOverlap", "none"}});
  if (fills)
    engine.connectStreamToCallback("in", std::make_unique<Rows>());
  engine.load(device);
  engine.run();
  const ProfileValue profile = engine.getExecutionProfile();
  const ProfileValue &run = profile["runs"].asVector().at(0);
  return run["to"].asUint64() - run["from"].asUint64();
}

TEST(Prefetch, HidesTheShorterOfFillingAndComputingOnTheModelledClock) {
  const std::uint64_t fill = cyclesOf(true, 0);
  for (const double ratio : {0.25, 0.5, 1.0, 2.0, 4.0}) { // compute : fill
    const auto each = static_cast<unsigned>(ratio * static_cast<double>(fill) / kRounds);
    const std::uint64_t compute = cyclesOf(false, each), both = cyclesOf(true, each);
    EXPECT_LE(both, std::max(fill, compute) * 11 / 10) << "compute : fill = " << ratio;
    EXPECT_GE(both, std::max(fill, compute)) << "compute : fill = " << ratio;
  }
}

} // namespace
} // namespace copse::test
