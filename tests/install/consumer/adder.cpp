// adder CODELETS: adds two vectors on an emulated IPU, four elements on each of sixteen tiles.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <vector>

using namespace poplar;

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  std::vector<Device> devices = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  const auto device = std::find_if(devices.begin(), devices.end(),
                                   [](const Device &candidate) { return candidate.attach(); });
  if (device == devices.end())
    return 3;

  Graph graph(device->getTarget());
  graph.addCodelets(argv[1]);
  const unsigned tiles = 16, perTile = 4;
  const std::size_t size = tiles * perTile;
  Tensor a = graph.addVariable(FLOAT, {size}, "a");
  Tensor b = graph.addVariable(FLOAT, {size}, "b");
  Tensor sum = graph.addVariable(FLOAT, {size}, "sum");
  ComputeSet add = graph.addComputeSet("add");
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const Interval part(tile * perTile, (tile + 1) * perTile);
    for (const Tensor &t : {a, b, sum})
      graph.setTileMapping(t.slice(part), tile);
    VertexRef vertex = graph.addVertex(
        add, "Adder", {{"a", a.slice(part)}, {"b", b.slice(part)}, {"out", sum.slice(part)}});
    graph.setTileMapping(vertex, tile);
    graph.setPerfEstimate(vertex, 20);
  }
  DataStream streamA = graph.addHostToDeviceFIFO("a", FLOAT, size);
  DataStream streamB = graph.addHostToDeviceFIFO("b", FLOAT, size);
  DataStream streamSum = graph.addDeviceToHostFIFO("sum", FLOAT, size);

  program::Sequence program;
  program.add(program::Copy(streamA, a));
  program.add(program::Copy(streamB, b));
  program.add(program::Execute(add));
  program.add(program::Copy(sum, streamSum));

  Engine engine(graph, program);
  std::vector<float> hostA(size), hostB(size), hostSum(size);
  for (std::size_t i = 0; i < size; ++i) {
    hostA[i] = static_cast<float>(i);
    hostB[i] = 1000.0f;
  }
  engine.connectStream("a", hostA.data(), hostA.data() + size);
  engine.connectStream("b", hostB.data(), hostB.data() + size);
  engine.connectStream("sum", hostSum.data(), hostSum.data() + size);
  engine.load(*device);
  engine.run(0);
  engine.printProfileSummary(std::cout, {{"showExecutionSteps", "true"}});

  for (std::size_t i = 0; i < size; ++i)
    if (hostSum[i] < 1000.0f + static_cast<float>(i) ||
        hostSum[i] > 1000.0f + static_cast<float>(i))
      return EXIT_FAILURE;
  return EXIT_SUCCESS;
}
