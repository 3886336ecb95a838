// A diffusion stencil over all tiles of the chip: blocks of rows, halo rows of the neighbours as
// slices, and two buffers that change places.
#include "check.hpp"

#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <vector>

namespace {

const unsigned kRowsPerTile = 2;
const unsigned kColumns = 24;
const unsigned kSteps = 6;

// Maps blocks of rows; the first and the last row and column hold their values.
void mapRows(poplar::Graph &graph, const poplar::Tensor &grid, unsigned tiles) {
  const unsigned rows = static_cast<unsigned>(grid.dim(0));
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const unsigned begin = tile * rows / tiles, end = (tile + 1) * rows / tiles;
    graph.setTileMapping(grid.slice(begin, end), tile);
  }
}

poplar::ComputeSet step(poplar::Graph &graph, poplar::Tensor from, poplar::Tensor to,
                        unsigned tiles) {
  const auto cs = graph.addComputeSet("step");
  const unsigned rows = static_cast<unsigned>(from.dim(0));
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const unsigned begin = tile * rows / tiles, end = (tile + 1) * rows / tiles;
    for (unsigned row = std::max(begin, 1u); row < std::min(end, rows - 1); ++row) {
      const auto v = graph.addVertex(cs, "HeatRow",
                                     {{"above", from[row - 1].slice(1, kColumns - 1)},
                                      {"row", from[row]},
                                      {"below", from[row + 1].slice(1, kColumns - 1)},
                                      {"result", to[row].slice(1, kColumns - 1)}});
      graph.setInitialValue(v["alpha"], 0.125f);
      graph.setTileMapping(v, tile);
      graph.setPerfEstimate(v, 10 * kColumns);
    }
  }
  return cs;
}

std::vector<float> reference(std::vector<float> grid, unsigned rows) {
  std::vector<float> next = grid;
  for (unsigned s = 0; s < kSteps; ++s, grid.swap(next))
    for (unsigned r = 1; r + 1 < rows; ++r)
      for (unsigned c = 1; c + 1 < kColumns; ++c) {
        const float *x = &grid[r * kColumns + c];
        next[r * kColumns + c] =
            *x + 0.125f * (x[-1] + x[1] + *(x - kColumns) + x[kColumns] - 4 * *x);
      }
  return grid;
}

} // namespace

int main(int argc, char **argv) {
  const auto device = check::device(argc, argv);
  poplar::Graph graph(device.getTarget());
  graph.addCodelets({"heat_codelets.cpp"}, "-O3");
  const unsigned tiles = graph.getTarget().getNumTiles();
  const unsigned rows = std::max(kRowsPerTile * tiles, 16u);

  const auto in = graph.addVariable(poplar::FLOAT, {rows, kColumns}, "in");
  const auto out = graph.addVariable(poplar::FLOAT, {rows, kColumns}, "out");
  mapRows(graph, in, tiles);
  mapRows(graph, out, tiles);
  const auto toIpu = graph.addHostToDeviceFIFO("<<in", poplar::FLOAT, in.numElements());
  const auto fromIpu = graph.addDeviceToHostFIFO(">>out", poplar::FLOAT, in.numElements());

  using namespace poplar::program;
  Sequence load{Copy(toIpu, in), Copy(in, out)};
  Repeat loop(kSteps / 2,
              Sequence{Execute(step(graph, in, out, tiles)), Execute(step(graph, out, in, tiles))});
  Copy store(in, fromIpu);

  const poplar::OptionFlags options{{"debug.instrumentCompute", "true"},
                                    {"exchange.streamBufferOverlap", "none"},
                                    {"target.hostSyncTimeout", "300"}};
  poplar::Engine engine(graph, {load, loop, store}, options);
  engine.load(device);
  std::vector<float> grid(in.numElements()), result(in.numElements());
  for (std::size_t i = 0; i < grid.size(); ++i)
    grid[i] = static_cast<float>(i * 7919 % 101);
  engine.connectStream("<<in", grid.data(), grid.data() + grid.size());
  engine.connectStream(">>out", result.data(), result.data() + result.size());
  for (unsigned program = 0; program < 3; ++program)
    engine.run(program);
  return check::differences("grid", result, reference(grid, rows), 1e-6) != 0;
}
