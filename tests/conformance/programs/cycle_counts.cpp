// Cycles of a program, by both forms of cycleCount; and times from the tile's clock.
#include "check.hpp"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv) {
  Device device = check::device(argc, argv);
  Graph graph(device.getTarget());
  graph.addCodelets("adder_codelets.cpp");
  Tensor t = graph.addVariable(FLOAT, {3}, VariableMappingMethod::LINEAR, "t");
  graph.setInitialValue(t, ArrayRef<float>{1.0f, 2.0f, 0.0f});
  ComputeSet cs = graph.addComputeSet("add");
  VertexRef v = graph.addVertex(cs, "AdderVertex", {{"x", t[0]}, {"y", t[1]}, {"sum", t[2]}});
  graph.setTileMapping(v, 0);
  graph.setPerfEstimate(v, 1000);

  Sequence once, often;
  once.add(Execute(cs));
  often.add(Repeat(100, Execute(cs)));
  Tensor cyclesOnce = cycleCount(graph, once, 0, SyncType::INTERNAL);
  Tensor cyclesOften = cycleCount(graph, often, 1, SyncType::EXTERNAL, "often");
  // Before there were kinds of syncs:
  Sequence old{Execute(cs)};
  Tensor cyclesOld = cycleCount(graph, old, 0);
  Tensor cyclesNamed = cycleCount(graph, old, 0, "named");
  graph.createHostRead("once", cyclesOnce);
  graph.createHostRead("often", cyclesOften);
  graph.createHostRead("old", cyclesOld);
  Engine engine(graph, Sequence(once, often, old));
  engine.load(device);
  engine.run(0);
  std::uint64_t few = 0, many = 0, before = 0;
  engine.readTensor("once", &few, &few + 1);
  engine.readTensor("often", &many, &many + 1);
  engine.readTensor("old", &before, &before + 1);
  const double seconds = static_cast<double>(many) / graph.getTarget().getTileClockFrequency();
  std::cout << few << " and " << many << " cycles, " << seconds * 1e6 << " us\n";
  if (few < 1000 || many < 100 * 1000 || many < 50 * few || before < 1000)
    return check::failed("cycles");
  return EXIT_SUCCESS;
}
