// More data than fits: rows in a remote buffer, fetched, changed and stored one after the other.
#include "check.hpp"

#include <memory>
#include <poplar/Engine.hpp>
#include <vector>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv) {
  constexpr std::size_t rows = 6, rowSize = 32;
  auto device = check::device(argc, argv);
  Graph graph(device);
  graph.addCodelets({"scale_codelets.cpp"}, "-Ilib -DSCALE=2.0f");
  std::stringstream next("#include <poplar/Vertex.hpp>\n"
                         "struct Next : poplar::Vertex { poplar::InOut<unsigned> i;"
                         " bool compute() { ++*i; return true; } };");
  graph.addCodelets(next);

  auto buffer = graph.addRemoteBuffer("rows", FLOAT, rowSize, rows, true);
  auto row = graph.addVariable(FLOAT, {4, rowSize / 4}, VariableMappingMethod::LINEAR, "row");
  auto index = graph.addVariable(UNSIGNED_INT, {1}, VariableMappingMethod::LINEAR, "index");
  graph.setInitialValue(index, 0u);
  auto scale = graph.addComputeSet("scale"), advance = graph.addComputeSet("advance");
  graph.setTileMapping(graph.addVertex(scale, "lib::Scale", {{"data", row.flatten()}}), 0);
  graph.setTileMapping(graph.addVertex(advance, "Next", {{"i", index[0]}}), 0);

  // Two rows at once, by offsets that are constants.
  auto two = graph.addVariable(FLOAT, {2, rowSize}, VariableMappingMethod::LINEAR, "two");
  auto offsets = graph.addConstant<unsigned>(UNSIGNED_INT, {2}, {4, 1});
  graph.setTileMapping(offsets, 0);
  graph.createHostRead("two", two);

  Repeat all(rows, Sequence{Copy(buffer, row, index), Execute(scale), Copy(row, buffer, index),
                            Execute(advance)});
  auto engine = std::make_unique<Engine>(graph, Sequence{all, Copy(buffer, two, offsets)});
  engine->load(device);
  std::vector<float> host(rows * rowSize), back(rows * rowSize), expected;
  for (std::size_t i = 0; i < host.size(); ++i)
    host[i] = static_cast<float>(i);
  for (std::size_t r = 0; r < rows; ++r)
    engine->copyToRemoteBuffer(&host[r * rowSize], "rows", r);
  engine->run();
  for (std::size_t r = 0; r < rows; ++r)
    engine->copyFromRemoteBuffer("rows", &back[r * rowSize], r);
  for (float x : host)
    expected.push_back(2 * x);
  int wrong = check::differences("rows", back, expected);
  std::vector<float> pair(2 * rowSize),
      expectedPair(&expected[4 * rowSize], &expected[5 * rowSize]);
  expectedPair.insert(expectedPair.end(), &expected[rowSize], &expected[2 * rowSize]);
  engine->readTensor("two", pair.data(), pair.data() + pair.size());
  return wrong + check::differences("two", pair, expectedPair);
}
