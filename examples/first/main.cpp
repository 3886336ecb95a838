// first: an IPU squares the numbers that a stream brings. docs/first-program.md explains each step.
#include <iostream>
#include <numeric>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <vector>

using namespace poplar;

/// Takes the first device of one IPU that no other program holds.
Device attachIpu() {
  for (Device &device : DeviceManager().getDevices(TargetType::IPU, 1))
    if (device.attach())
      return std::move(device);
  throw poplar_error("no IPU is free");
}

int main() try {
  const Device device = attachIpu();
  Graph graph(device.getTarget());
  graph.addCodelets(FIRST_CODELETS);

  // Two variables of 64 floats; 16 tiles hold 4 elements of each, and one vertex squares them.
  const unsigned tiles = 16, elements = 64, share = elements / tiles;
  const Tensor numbers = graph.addVariable(FLOAT, {elements}, "numbers");
  const Tensor squares = graph.addVariable(FLOAT, {elements}, "squares");
  const ComputeSet square = graph.addComputeSet("square");
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const Interval part(tile * share, (tile + 1) * share);
    graph.setTileMapping(numbers.slice(part), tile);
    graph.setTileMapping(squares.slice(part), tile);
    const VertexRef vertex = graph.addVertex(
        square, "Square", {{"in", numbers.slice(part)}, {"out", squares.slice(part)}});
    graph.setTileMapping(vertex, tile);
  }

  // The control program: the host's numbers to the tiles, the vertices, and the result back.
  const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, elements);
  const DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, elements);
  const program::Sequence program(
      {program::Copy(in, numbers), program::Execute(square), program::Copy(squares, out)});

  Engine engine(graph, program);
  std::vector<float> given(elements), got(elements);
  std::iota(given.begin(), given.end(), 1.0f);
  engine.connectStream("in", given.data(), given.data() + elements);
  engine.connectStream("out", got.data(), got.data() + elements);
  engine.load(device);
  engine.run(0);

  for (unsigned i = 0; i < elements; ++i)
    if (got[i] != given[i] * given[i])
      throw poplar_error("the square of " + std::to_string(given[i]) + " is wrong");
  std::cout << "1, 2, 3, ... squared: " << got[0] << ", " << got[1] << ", " << got[2] << ", ..., "
            << got[elements - 1] << "\n";
} catch (const std::exception &error) {
  std::cerr << "first: " << error.what() << "\n";
  return 1;
}
