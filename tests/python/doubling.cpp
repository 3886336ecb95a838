// Doubles numbers on four tiles, in two runs, and leaves a profile: doubling DIRECTORY.
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <sstream>
#include <vector>

namespace {

using namespace poplar;
using namespace poplar::program;

constexpr unsigned kTiles = 4;
constexpr unsigned kNumbersPerTile = 25;

constexpr const char *kCodelets = R"(
#include <poplar/Vertex.hpp>
class Twice : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float>> data;
  bool compute() {
    for (unsigned i = 0; i < data.size(); ++i) data[i] *= 2;
    return true;
  }
};
)";

/// Returns a compute set that doubles \p data; the worker of tile t takes 100 + t of its turns.
ComputeSet doubling(Graph &graph, const Tensor &data) {
  const ComputeSet set = graph.addComputeSet("outer/double");
  for (unsigned tile = 0; tile < kTiles; ++tile) {
    const Tensor part = data.slice(tile * kNumbersPerTile, (tile + 1) * kNumbersPerTile);
    graph.setTileMapping(part, tile);
    const VertexRef vertex = graph.addVertex(set, "Twice", {{"data", part}});
    graph.setTileMapping(vertex, tile);
    graph.setPerfEstimate(vertex, 100 + tile);
  }
  return set;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  IPUModel model;
  model.tilesPerIPU = kTiles;
  const Device device = model.createDevice();
  Graph graph(device);
  std::stringstream codelets(kCodelets);
  graph.addCodelets(codelets);

  const Tensor data = graph.addVariable(FLOAT, {kTiles * kNumbersPerTile}, "data");
  const ComputeSet twice = doubling(graph, data);
  const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, data.numElements());
  const DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, data.numElements());
  Engine engine(graph, Sequence{Copy(in, data), Repeat(3, Execute(twice)), Copy(data, out)},
                {{"autoReport.all", "true"}, {"autoReport.directory", argv[1]}});
  std::vector<float> numbers(data.numElements(), 1.0f);
  engine.connectStream("in", numbers.data());
  engine.connectStream("out", numbers.data());
  engine.load(device);
  engine.run(0, "first");
  engine.run(0, "second");
  std::cout << numbers.front() << '\n';
}
