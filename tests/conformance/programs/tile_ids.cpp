// Codelets that ask for their tile, and print.
#include "check.hpp"

#include <poplar/Engine.hpp>

using namespace poplar;

int main(int argc, char **argv) {
  Device device = check::device(argc, argv);
  Graph graph(device.getTarget());
  graph.addCodelets("tile_ids_codelets.cpp");
  const unsigned tiles = std::min(graph.getTarget().getNumTiles(), 100u);
  const unsigned stride = graph.getTarget().getNumTiles() / tiles;

  Tensor ids = graph.addVariable(UNSIGNED_INT, {tiles}, "ids");
  ComputeSet cs = graph.addComputeSet("ask");
  std::vector<unsigned> expected;
  for (unsigned i = 0; i < tiles; ++i) {
    VertexRef v = graph.addVertex(cs, i % 2 ? "AskOften" : "Ask", {{"id", ids[i]}});
    graph.setTileMapping(v, i * stride);
    graph.setTileMapping(ids[i], (i * stride + 1) % graph.getTarget().getNumTiles());
    expected.push_back(i * stride);
  }
  graph.createHostRead("ids", ids);
  Engine engine(graph, program::Execute(cs));
  engine.loadAndRun(device);
  std::vector<unsigned> result(tiles);
  engine.readTensor("ids", result.data(), result.data() + result.size());
  return check::differences("ids", result, expected);
}
