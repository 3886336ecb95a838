// The tutorial's matrix times vector: a vertex for each row, rows spread over all tiles.
#include "check.hpp"

#include <cstdlib>
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <random>

using namespace poplar;
using namespace poplar::program;

// Builds the program for matrix (numRows x numCols) * vector.
Program buildMultiplyProgram(Graph &graph, Tensor matrix, Tensor in, Tensor out) {
  ComputeSet mulCS = graph.addComputeSet("mulCS");
  auto numRows = matrix.dim(0);
  for (unsigned i = 0; i < numRows; ++i) {
    auto v =
        graph.addVertex(mulCS, "DotProductVertex", {{"a", matrix[i]}, {"b", in}, {"out", out[i]}});
    unsigned tile = i * graph.getTarget().getNumTiles() / numRows;
    graph.setTileMapping(matrix[i], tile);
    graph.setTileMapping(out[i], tile);
    graph.setTileMapping(v, tile);
    graph.setPerfEstimate(v, 20 + 2 * matrix.dim(1));
  }
  graph.setTileMapping(in, 0);
  return Execute(mulCS);
}

int main(int argc, char **argv) {
  const unsigned numRows = 200;
  const unsigned numCols = 37;
  Device device = check::device(argc, argv);
  Graph graph(device.getTarget());
  graph.addCodelets("matrix_vector_codelets.cpp");

  Tensor matrix = graph.addVariable(FLOAT, {numRows, numCols}, "matrix");
  Tensor inputVector = graph.addVariable(FLOAT, {numCols}, "inputVector");
  Tensor outputVector = graph.addVariable(FLOAT, {numRows}, "outputVector");
  auto mulProg = buildMultiplyProgram(graph, matrix, inputVector, outputVector);

  auto inStreamV = graph.addHostToDeviceFIFO("inputVector", FLOAT, numCols);
  auto inStreamM = graph.addHostToDeviceFIFO("inputMatrix", FLOAT, numCols * numRows);
  auto outStream = graph.addDeviceToHostFIFO("out", FLOAT, numRows);
  auto prog = Sequence({Copy(inStreamV, inputVector), Copy(inStreamM, matrix), mulProg,
                        Copy(outputVector, outStream)});
  Engine engine(graph, prog);
  engine.load(device);

  float hMatrix[numRows][numCols], hInput[numCols];
  std::mt19937 gen(42);
  std::uniform_int_distribution<int> dist(-9, 9);
  for (unsigned col = 0; col < numCols; ++col) {
    hInput[col] = static_cast<float>(dist(gen));
    for (unsigned row = 0; row < numRows; ++row)
      hMatrix[row][col] = static_cast<float>(dist(gen));
  }
  std::vector<float> hOut(numRows), expected(numRows);
  for (unsigned row = 0; row < numRows; ++row)
    for (unsigned col = 0; col < numCols; ++col)
      expected[row] += hMatrix[row][col] * hInput[col];
  engine.connectStream("inputVector", hInput);
  engine.connectStream("inputMatrix", hMatrix);
  engine.connectStream("out", hOut.data());
  engine.run(0);
  return check::differences("out", hOut, expected) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
