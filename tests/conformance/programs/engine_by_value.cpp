// A function that builds everything and returns the engine; several programs by number; a graph
// that is changed after an engine was made of it, and built again.
#include "check.hpp"

#include <poplar/Engine.hpp>
#include <utility>

using namespace poplar;
using namespace poplar::program;

namespace {

struct Model {
  Graph graph;
  Tensor value;
  std::vector<Program> programs;
};

Model buildModel(const Device &device) {
  Graph graph(device.getTarget());
  graph.addCodelets("adder_codelets.cpp");
  auto value = graph.addVariable(FLOAT, {1}, "value");
  graph.setTileMapping(value, 0);
  graph.setInitialValue(value[0], 1.0f);
  graph.createHostRead("value", value);
  auto one = graph.addConstant(FLOAT, {}, 1.0f, "one");
  graph.setTileMapping(one, 0);
  auto twice = graph.addVariable(FLOAT, {}, "twice");
  graph.setTileMapping(twice, 0);
  auto addTo = [&](const char *name, const Tensor &y) {
    auto cs = graph.addComputeSet(name);
    graph.setTileMapping(
        graph.addVertex(cs, "AdderVertex", {{"x", value[0]}, {"y", y}, {"sum", twice}}), 0);
    return Sequence(Execute(cs), Copy(twice, value.reshape({})));
  };
  std::vector<Program> programs{addTo("increment", one), addTo("double", value[0])};
  return {std::move(graph), value, std::move(programs)};
}

Engine makeEngine(const Device &device) {
  Model model = buildModel(device);
  Engine engine(model.graph, model.programs);
  engine.load(device);
  return engine;
}

float valueOf(Engine &engine) {
  float value = 0;
  engine.readTensor("value", &value, &value + 1);
  return value;
}

} // namespace

int main(int argc, char **argv) {
  const auto device = check::device(argc, argv);
  Engine engine = makeEngine(device);
  for (unsigned program : {0u, 1u, 1u, 0u})
    engine.run(program);
  int wrong = valueOf(engine) == 9.0f ? 0 : check::failed("((1 + 1) * 2 * 2) + 1");

  engine.load(device); // initial values again
  engine.run(1, "doubling");
  wrong += valueOf(engine) == 2.0f ? 0 : check::failed("the first value after another load");

  auto model = buildModel(device);
  Engine before(model.graph, model.programs);
  auto extra = model.graph.addVariable(FLOAT, {1}, "extra");
  model.graph.setTileMapping(extra, 0);
  model.graph.setInitialValue(extra, 100);
  model.programs.push_back(Copy(extra, model.value));
  Engine after(model.graph, model.programs);
  before.loadAndRun(device, 1);
  wrong += valueOf(before) == 2.0f ? 0 : check::failed("the engine of the graph as it was");
  after.loadAndRun(device, 2);
  after.run(0);
  return wrong + (valueOf(after) == 101.0f ? 0 : check::failed("the engine of the changed graph"));
}
