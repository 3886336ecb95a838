// Vectors of vectors: by rows of a matrix, by a list of pieces, by index, and vertex state in
// vectors.
#include "check.hpp"

#include <poplar/Engine.hpp>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv) {
  Device device = check::device(argc, argv);
  Graph graph(device.getTarget());
  graph.addCodelets("nested_codelets.cpp");
  const unsigned numTiles = graph.getTarget().getNumTiles();

  Tensor matrix = graph.addVariable(FLOAT, {3, 6}, VariableMappingMethod::LINEAR, "matrix");
  graph.setInitialValue(
      matrix, std::vector<float>{1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60, 7, 7, 7, 7, 7, 7});
  Tensor sums = graph.addVariable(FLOAT, {4, 3}, "sums");
  graph.setTileMapping(sums, numTiles / 2);
  ComputeSet cs = graph.addComputeSet("rows");

  // Rows of a matrix.
  auto rows = graph.addVertex(cs, "SumRows", {{"rows", matrix}, {"sums", sums[0]}});
  // Pieces of different length, from a list and through the field's entries.
  std::vector<Tensor> pieces = matrix.flatten().slices({{0, 2}, {2, 3}, {3, 18}});
  auto list = graph.addVertex(cs, "SumRows", {{"rows", pieces}, {"sums", sums[1]}});
  auto indexed = graph.addVertex(cs, "SumRows");
  graph.setFieldSize(indexed["rows"], pieces.size());
  for (unsigned i = 0; i != pieces.size(); ++i)
    graph.connect(indexed["rows"][i], pieces[i]);
  graph.connect(indexed["sums"], sums[2]);
  // Weights that are vertex state.
  auto weighted = graph.addVertex(cs, "WeightedRows");
  graph.connect(weighted["rows"], pieces);
  std::vector<Tensor> scalars;
  for (unsigned i = 0; i < 3; ++i)
    scalars.push_back(sums[3][i]);
  graph.connect(weighted["sums"], scalars);
  graph.setInitialValue(weighted["weights"], std::vector<unsigned>{1, 100, 10000});
  for (auto v : {rows, list, indexed, weighted})
    graph.setTileMapping(v, numTiles - 1);

  graph.createHostRead("sums", sums, true);
  Engine engine(graph, Execute(cs));
  engine.load(device);
  engine.run();
  std::vector<float> result(12);
  engine.readTensor("sums", result.data(), result.data() + result.size());
  return check::differences("sums", result, {21, 210, 42, 3, 3, 267, 3, 3, 267, 3, 300, 2670000});
}
