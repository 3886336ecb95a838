// A program of collectives, by the names of all SDKs.
#include <gcl/Collectives.hpp>
#include <gcl/TileAllocation.hpp>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/Collectives.hpp>
#include <popops/codelets.hpp>
#include <vector>

using namespace poplar;

int main() {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  const Device device = model.createDevice();
  Graph graph(device, replication_factor(2));
  popops::addCodelets(graph);
  const Tensor a = graph.addVariable(FLOAT, {5}, "a");
  graph.setTileMapping(a, gcl::perIPUTiles(graph, 0, 1)[0]);
  graph.setInitialValue(a, 1.0f);
  program::Sequence prog;
  const Tensor b = gcl::allReduceCrossReplica(graph, a, gcl::CollectiveOperator::ADD, prog, "b");
  Tensor c = gcl::allReduce(graph, b, popops::CollectiveOperator::ADD, prog, "c");
  popops::replicatedAllReduceInPlace(graph, c, popops::Operation::ADD, prog, "in place");
  graph.createHostRead("c", c);
  Engine engine(graph, prog);
  engine.load(device);
  engine.run(0);
  std::vector<float> values(10);
  engine.readTensor("c", values.data(), values.data() + values.size());
  for (const float value : values)
    if (value != 8.0f) {
      std::cerr << "a sum is " << value << " instead of 8\n";
      return 1;
    }
  return 0;
}
