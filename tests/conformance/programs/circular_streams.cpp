// Streams over buffers of several transfers: the position goes round, from run to run.
#include "check.hpp"

#include <algorithm>
#include <iostream>
#include <numeric>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <vector>

int main(int argc, char **argv) {
  auto device = check::device(argc, argv);
  poplar::Graph graph(device.getTarget());

  poplar::Tensor v0 = graph.addVariable(poplar::FLOAT, {5}, "v0");
  poplar::Tensor v1 = graph.addVariable(poplar::FLOAT, {5}, "v1");
  const unsigned tiles = graph.getTarget().getNumTiles();
  for (unsigned i = 0; i != 5; ++i) {
    graph.setTileMapping(v0[i], i % tiles);
    graph.setTileMapping(v1[i], (i + 1) % tiles);
  }
  auto in = graph.addHostToDeviceFIFO("in", poplar::FLOAT, 5);
  auto out = graph.addDeviceToHostFIFO("out", poplar::FLOAT, 5);

  poplar::program::Sequence prog;
  prog.add(poplar::program::Copy(in, v0));
  prog.add(poplar::program::Copy(v0, v1));
  prog.add(poplar::program::Copy(v1, out));
  prog.add(poplar::program::Copy(in, v0));
  prog.add(poplar::program::Copy(v0, out));

  poplar::Engine engine(graph, prog);
  std::vector<float> source(15), sink(20, -1.0f);
  std::iota(source.begin(), source.end(), 0.0f);
  engine.connectStream("in", source.data(), source.data() + source.size());
  engine.connectStream("out", &sink[0], &sink[0] + sink.size());
  engine.load(device);
  engine.run(0);
  engine.run(0);

  std::vector<float> expected;
  for (int i = 0; i < 20; ++i)
    expected.push_back(source[i % 15]);
  int wrong = check::differences("sink", sink, expected);

  // The third run starts at source[5] and wraps in the sink, too.
  engine.run();
  std::copy(&source[5], &source[15], expected.begin());
  return wrong + check::differences("sink", sink, expected);
}
