// Host program and codelets in one file. Two replicas of a model double what their streams bring.
#ifdef __POPC__

#include <poplar/Vertex.hpp>

class Twice : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<int>> data;
  bool compute() {
    for (unsigned i = 0; i < data.size(); ++i)
      data[i] *= 2;
    return true;
  }
};

#else

#include <cstdlib>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <pva/pva.hpp>
#include <pvti/pvti.hpp>
#include <vector>

int main() {
  using namespace poplar;
  const unsigned replicas = 2;
  const std::size_t size = 3;
  IPUModel model;
  model.numIPUs = replicas;
  model.tilesPerIPU = 8;
  Device device = model.createDevice();

  Graph graph(device.getTarget(), replication_factor(replicas));
  graph.addCodelets(__FILE__);
  Tensor data = graph.addVariable(INT, {size}, "data");
  graph.setTileMapping(data, 5);
  ComputeSet twice = graph.addComputeSet("twice");
  graph.setTileMapping(graph.addVertex(twice, "Twice", {{"data", data}}), 5);
  DataStream in = graph.addHostToDeviceFIFO("in", INT, size);
  DataStream out = graph.addDeviceToHostFIFO("out", INT, size);
  Engine engine(graph, program::Sequence(program::Copy(in, data), program::Execute(twice),
                                         program::Copy(data, out)));

  std::vector<int> values, doubled(replicas * size);
  for (int i = 0; i < static_cast<int>(replicas * size); ++i)
    values.push_back(i);
  engine.connectStream("in", values.data(), values.data() + values.size());
  engine.connectStream("out", doubled.data(), doubled.data() + doubled.size());
  engine.load(device);
  engine.run();

  for (std::size_t i = 0; i < doubled.size(); ++i)
    if (doubled[i] != 2 * values[i])
      return EXIT_FAILURE;
  return engine.getReport().compilation().graph().numVertices() == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
