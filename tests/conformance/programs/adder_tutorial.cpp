// The first program of every tutorial: one vertex adds two numbers that have initial values.
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

int main() {
  // Create the IPU model device
  IPUModel ipuModel;
  Device device = ipuModel.createDevice();
  Target target = device.getTarget();

  Graph graph(target);
  graph.addCodelets("adder_codelets.cpp");

  Tensor x = graph.addVariable(FLOAT, {}, "x");
  Tensor y = graph.addVariable(FLOAT, {}, "y");
  Tensor z = graph.addVariable(FLOAT, {}, "z");
  graph.setTileMapping(x, 0);
  graph.setTileMapping(y, 0);
  graph.setTileMapping(z, 0);
  graph.setInitialValue(x, 5.0f);
  graph.setInitialValue(y, 10);

  ComputeSet cs = graph.addComputeSet("sum");
  VertexRef v = graph.addVertex(cs, "AdderVertex");
  graph.setTileMapping(v, 0);
  graph.connect(v["x"], x);
  graph.connect(v["y"], y);
  graph.connect(v["sum"], z);
  graph.setPerfEstimate(v, 20);

  auto prog = Sequence();
  prog.add(Execute(cs));
  prog.add(PrintTensor("z-value", z));
  prog.add(PrintTensor(z));

  Engine engine(graph, prog);
  std::ostringstream printed;
  engine.setPrintStream(printed);
  engine.load(device);
  engine.run(0);
  std::cout << printed.str();
  return printed.str().find("z-value") != std::string::npos &&
                 printed.str().find("15") != std::string::npos
             ? 0
             : 1;
}
