// Pi by random points: six vertices on each of 1,472 tiles, each with a generator of its own.
#include "check.hpp"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <vector>

using namespace poplar;
using namespace poplar::program;

constexpr unsigned NUM_TILES = 1472;
constexpr unsigned WORKERS = 6;
constexpr unsigned POINTS = 50;

unsigned hitsOf(std::uint32_t seed) {
  std::uint32_t state = seed * 2654435761u + 1;
  unsigned hits = 0;
  for (unsigned i = 0; i < POINTS; ++i) {
    float xy[2];
    for (float &c : xy) {
      state = state * 1664525u + 1013904223u;
      c = static_cast<float>(state >> 8) / 16777216.0f;
    }
    hits += xy[0] * xy[0] + xy[1] * xy[1] < 1.0f;
  }
  return hits;
}

int main(int argc, char **argv) {
  Device device = check::device(argc, argv);
  Graph graph(device.getTarget());
  graph.addCodelets("monte_carlo_codelets.cpp", CodeletFileType::Auto, "-O3");

  Tensor hits = graph.addVariable(UNSIGNED_INT, {NUM_TILES * WORKERS}, "hits");
  ComputeSet cs = graph.addComputeSet("throw");
  for (unsigned tile = 0; tile < NUM_TILES; tile++) {
    for (unsigned w = 0; w < WORKERS; w++) {
      unsigned id = tile * WORKERS + w;
      VertexRef v = graph.addVertex(cs, "PiVertex");
      graph.setInitialValue(v["seed"], id);
      graph.setInitialValue(v["iterations"], POINTS);
      graph.connect(v["hits"], hits[id]);
      graph.setTileMapping(v, tile);
      graph.setTileMapping(hits[id], tile);
      graph.setPerfEstimate(v, POINTS * 20);
    }
  }
  graph.createHostRead("hits", hits);

  Engine engine(graph, Execute(cs));
  engine.load(device);
  engine.run(0);
  std::vector<unsigned> result(NUM_TILES * WORKERS), expected;
  engine.readTensor("hits", result.data(), result.data() + result.size());
  for (unsigned id = 0; id < result.size(); ++id)
    expected.push_back(hitsOf(id));
  const double pi = 4.0 * std::accumulate(result.begin(), result.end(), 0.0) /
                    (static_cast<double>(result.size()) * POINTS);
  std::cout << "pi = " << pi << "\n";
  return check::differences("hits", result, expected) + !check::close(pi, 3.14159, 0.01);
}
