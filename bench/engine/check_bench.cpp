// Claim: a program under copse check takes at most 30 times as long, even where it does nothing but
// loops that the plain run vectorises.
#include "temporary_folder.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace poplar;
using namespace poplar::program;

constexpr unsigned kTiles = 16, kWorkers = 6;
constexpr unsigned kElements = 512; // elements per vertex
constexpr unsigned kRepeats = 50;   // executions per iteration

constexpr const char *kCodelet = R"(
#include <poplar/Vertex.hpp>
class Scale : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::InOut<poplar::Vector<float>> out;
  float factor;
  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = out[i] * factor + in[i];
    return true;
  }
};
)";

Program loops(Graph &graph) {
  std::stringstream codelet(kCodelet);
  graph.addCodelets(codelet);
  const ComputeSet set = graph.addComputeSet("scale");
  const Tensor in = graph.addVariable(FLOAT, {kTiles, kWorkers, kElements}, "in");
  const Tensor out = graph.addVariable(FLOAT, {kTiles, kWorkers, kElements}, "out");
  graph.setInitialValue(in, 0.5f);
  graph.setInitialValue(out, 0.0f);
  graph.createHostRead("out", out);
  for (unsigned tile = 0; tile < kTiles; ++tile) {
    graph.setTileMapping(in[tile], tile);
    graph.setTileMapping(out[tile], tile);
    for (unsigned w = 0; w < kWorkers; ++w) {
      const VertexRef v =
          graph.addVertex(set, "Scale", {{"in", in[tile][w]}, {"out", out[tile][w]}});
      graph.setInitialValue(v["factor"], 0.5f);
      graph.setTileMapping(v, tile);
    }
  }
  return Repeat(kRepeats, Execute(set));
}

template <bool kChecked> void run(benchmark::State &state) {
  const copse::test::TemporaryFolder folder; // receives the findings
  if (kChecked)
    ::setenv("COPSE_CHECK", folder.path().c_str(), 1); // NOLINT(concurrency-mt-unsafe): one thread
  IPUModel model;
  model.tilesPerIPU = kTiles;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  Engine engine(graph, loops(graph));
  engine.load(device);
  ::unsetenv("COPSE_CHECK"); // NOLINT(concurrency-mt-unsafe): one thread
  for (auto _ : state)
    engine.run();
  std::vector<float> out(kTiles * kWorkers * kElements);
  engine.readTensor("out", out.data(), out.data() + out.size());
  for (const float value : out)
    if (!(value > 0.99f && value <= 1.0f))
      return state.SkipWithError("the vertices did not do their work");
}

} // namespace

BENCHMARK(run<true>)->Name("checked_run/subject")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(run<false>)->Name("checked_run/reference")->UseRealTime()->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
