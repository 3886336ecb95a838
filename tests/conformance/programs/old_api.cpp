// A program of the first generation: names that later SDKs replaced.
#include <iostream>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static std::uint64_t adderCycles(const VertexIntrospector &vertex, const Target &target) {
  return 10 + vertex.getFieldInfo("x").size() * target.getNumWorkerContexts();
}

int main() {
  IPUModel ipuModel;
  ipuModel.compileIPUCode = true;
  Device device = ipuModel.createDevice();
  Graph graph(device);
  graph.addCodelets("adder_codelets.cpp");
  graph.registerCycleEstimator("AdderVertex", adderCycles);

  Tensor x = graph.addVariable(FLOAT, {4}, "x");
  graph.setTileMapping(x, 3);
  ComputeSet first = graph.addComputeSet("first"), second = graph.addComputeSet("second");
  VertexRef a = graph.addVertex(first, "AdderVertex");
  graph.connect(a["x"], x[0]);
  graph.connect(a["y"], x[1]);
  graph.connect(a["sum"], x[2]);
  graph.setTileMapping(a, 3);
  VertexRef b = graph.addVertex(second, "AdderVertex", {{"x", x[1]}, {"y", x[2]}, {"sum", x[3]}});
  graph.setTileMapping(b, 3);
  graph.setCycleEstimate(b, 33);
  graph.createHostWrite("x-in", x);
  graph.createHostRead("x-out", x);

  Sequence timed = Sequence(Execute(first), Execute(second));
  Tensor cycles = cycleCount(graph, timed, 0);
  graph.createHostRead("cycles", cycles);

  Engine engine(graph, Sequence(timed, PrintTensor(x)), OptionFlags{{"debug.instrument", "true"}});
  std::ostringstream printed;
  engine.setPrintStream(printed);
  engine.load(device);
  float host[4] = {1.5f, 2.25f, 0, 0};
  engine.writeTensor("x-in", host);
  engine.run(0);
  engine.readTensor("x-out", host);
  unsigned count[2] = {0, 0};
  engine.readTensor("cycles", count);
  if (host[2] != 3.75f || host[3] != 6.0f || count[0] == 0 || printed.str().empty())
    return 1;
  return 0;
}
