// A program that sees the graph as PopART does: through snap.
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <snap/Graph.hpp>
#include <snap/Tensor.hpp>
#include <utility>
#include <vector>

int main() {
  poplar::IPUModel model;
  model.tilesPerIPU = 4;
  const poplar::Device device = model.createDevice();
  snap::Graph made(device.getTarget(), poplar::replication_factor(1));
  snap::Graph graph = std::move(made);
  poplar::Graph &plain = graph.getPoplarGraph();
  popops::addCodelets(plain);
  snap::Graph upper = graph.createVirtualGraph(2, 4);
  const snap::Tensor matrix(upper.getPoplarGraph().addVariable(poplar::FLOAT, {2, 3}, "m"), upper);
  upper.getPoplarGraph().setTileMapping(matrix.getPoplarTensor(), 1);
  upper.getPoplarGraph().setInitialValue(matrix.getPoplarTensor(),
                                         poplar::ArrayRef<float>({1, 2, 3, 4, 5, 6}));
  const snap::Tensor column = matrix.transpose()[2].expand({0});
  if (snap::Tensor().valid() || column.shapeToString() != "{1,2}" ||
      !matrix.intersectsWith(column) || !plain.getTileMapping(column.getPoplarTensor())[3].size())
    return 1;
  poplar::program::Sequence prog;
  const snap::Tensor doubled(
      popops::add(plain, column.getPoplarTensor(), column.getPoplarTensor(), prog), matrix);
  plain.createHostRead("doubled", doubled.flatten().getPoplarTensor());
  poplar::Engine engine(plain, prog);
  engine.load(device);
  engine.run(0);
  std::vector<float> values(2);
  engine.readTensor("doubled", values.data(), values.data() + values.size());
  std::cout << values[0] << ' ' << values[1] << '\n';
  return values == std::vector<float>{6, 12} ? 0 : 1;
}
