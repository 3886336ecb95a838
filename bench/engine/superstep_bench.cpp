// Claim: the same total work split over 16 ipud processes makes at least 0.9 of the supersteps per
// second that 2 make, over 8 at least 0.8: what waiting and exchanging costs is small beside work
// of a few milliseconds.
#include "attached_ipus.hpp"

#include <benchmark/benchmark.h>

#include <map>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace poplar;
using namespace poplar::program;

constexpr unsigned kVertices = 1024; // over all replicas
constexpr unsigned kSupersteps = 10; // supersteps per iteration

constexpr const char *kCodelet = R"(
#include <poplar/Vertex.hpp>
class Iterate : public poplar::Vertex {
public:
  poplar::InOut<float> x;
  bool compute() {
    float y = *x;
    for (int i = 0; i < 3000; ++i) y = y * 0.999f + 0.001f;
    *x = y;
    return true;
  }
};
)";

/// A superstep: every vertex works, and every replica sends the next one 4 KiB.
Program supersteps(Graph &graph) {
  std::stringstream codelet(kCodelet);
  graph.addCodelets(codelet);
  const unsigned replicas = graph.getReplicationFactor(), vertices = kVertices / replicas;
  const Tensor x = graph.addVariable(FLOAT, {vertices}, "x");
  const Tensor halo = graph.addVariable(FLOAT, {1024}, "halo");
  graph.setTileMapping(halo, 0);
  graph.setInitialValue(x, 0.5f);
  graph.setInitialValue(halo, 1.0f);
  graph.createHostRead("x", x);
  const ComputeSet work = graph.addComputeSet("work");
  for (unsigned i = 0; i < vertices; ++i) {
    graph.setTileMapping(x[i], i);
    graph.setTileMapping(graph.addVertex(work, "Iterate", {{"x", x[i]}}), i);
  }
  std::map<unsigned, unsigned> ring;
  for (unsigned r = 0; r < replicas; ++r)
    ring[r] = (r + 1) % replicas;
  return Repeat(kSupersteps, Sequence({Execute(work), CrossReplicaCopy(halo, halo, ring)}));
}

template <unsigned kReplicas> void rate(benchmark::State &state) {
  const Device device = copse::bench::attachedIpus(kReplicas);
  Graph graph(device, replication_factor(kReplicas));
  Engine engine(graph, supersteps(graph));
  engine.load(device);
  engine.run();
  for (auto _ : state)
    engine.run();
  std::vector<float> x(kVertices);
  engine.readTensor("x", x.data(), x.data() + x.size());
  for (const float value : x)
    if (!(value > 0.9f && value <= 1.0f))
      state.SkipWithError("the vertices did not do their work");
}

/// Compute sets of one vertex that does nothing, on one IPU.
void emptySupersteps(benchmark::State &state) {
  constexpr unsigned kTimes = 100'000;
  const Device device = copse::bench::attachedIpus(1);
  Graph graph(device);
  std::stringstream codelet("#include <poplar/Vertex.hpp>\n"
                            "struct Nothing : poplar::Vertex { bool compute() { return true; } };");
  graph.addCodelets(codelet);
  const ComputeSet set = graph.addComputeSet("nothing");
  graph.setTileMapping(graph.addVertex(set, "Nothing"), 0);
  Engine engine(graph, Repeat(kTimes, Execute(set)));
  engine.load(device);
  engine.run();
  for (auto _ : state)
    engine.run();
  state.counters["us"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kTimes * 1e-6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// From the first call of Poplar to the end of the first superstep, with everything in the caches.
void firstSuperstep(benchmark::State &state) {
  const auto start = [] {
    const Device device = copse::bench::attachedIpus(4);
    Graph graph(device, replication_factor(4));
    Engine engine(graph, supersteps(graph), {{"copse.executableCache", "on"}});
    engine.load(device);
    engine.run();
  };
  start();
  for (auto _ : state)
    start();
}

} // namespace

BENCHMARK(emptySupersteps)
    ->Name("empty_superstep/subject")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(firstSuperstep)
    ->Name("first_superstep_cached/subject")
    ->UseRealTime()
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK(rate<16>)
    ->Name("supersteps_16_ipus/subject")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(rate<2>)
    ->Name("supersteps_16_ipus/reference")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(rate<8>)->Name("supersteps_8_ipus/subject")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(rate<2>)
    ->Name("supersteps_8_ipus/reference")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
