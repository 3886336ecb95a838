// A program of operations only, as tutorials write it.
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <vector>

using namespace poplar;

int main() {
  IPUModel model;
  model.tilesPerIPU = 4;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  const Tensor a = graph.addVariable(FLOAT, {100}, "a");
  poputil::mapTensorLinearly(graph, a);
  graph.setInitialValue(a, 2.0f);
  program::Sequence prog;
  popops::addInPlace(graph, a, 1.0f, prog);
  using namespace popops::expr;
  const Tensor b = popops::map(graph, _1 * _1 - Const(1.0f), {a}, prog, "b");
  graph.createHostRead("sum", popops::reduce(graph, b, {0}, {popops::Operation::ADD}, prog));
  Engine engine(graph, prog);
  engine.load(device);
  engine.run(0);
  float sum = 0;
  engine.readTensor("sum", &sum, &sum + 1);
  if (sum != 800.0f)
    std::cerr << "the sum is " << sum << " instead of 800\n";
  return sum == 800.0f ? 0 : 1;
}
