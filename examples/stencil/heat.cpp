#include "heat.hpp"

#include <algorithm>
#include <map>
#include <poplar/CycleCount.hpp>

namespace stencil {

using namespace poplar;
using namespace poplar::program;

namespace {

/// A replica's rows, between the last row of the replica above and the first of the one below.
struct Plate {
  Tensor haloAbove, rows, haloBelow; ///< shapes {1, columns}, {rows, columns}, {1, columns}
};

/// Blocks of rows on consecutive tiles, and each halo row beside the row that it touches.
Plate addPlate(Graph &graph, unsigned rows, unsigned columns, const char *name) {
  const Plate plate{graph.addVariable(FLOAT, {1, columns}, name),
                    graph.addVariable(FLOAT, {rows, columns}, name),
                    graph.addVariable(FLOAT, {1, columns}, name)};
  const unsigned tiles = std::min(graph.getTarget().getNumTiles(), rows);
  for (unsigned tile = 0; tile < tiles; ++tile)
    graph.setTileMapping(plate.rows.slice(tile * rows / tiles, (tile + 1) * rows / tiles), tile);
  graph.setTileMapping(plate.haloAbove, 0);
  graph.setTileMapping(plate.haloBelow, tiles - 1);
  return plate;
}

/// Sends a row of every replica \p distance replicas on; the last one is followed by the first.
Program sendRow(const Graph &graph, const Tensor &row, const Tensor &halo, unsigned distance) {
  const unsigned replicas = graph.getReplicationFactor();
  if (replicas == 1)
    return Copy(row, halo);
  std::map<unsigned, unsigned> receivers;
  for (unsigned sender = 0; sender < replicas; ++sender)
    receivers[sender] = (sender + distance) % replicas;
  return CrossReplicaCopy(row, halo, receivers);
}

Program step(Graph &graph, const Plate &now, const Plate &next) {
  const unsigned rows = static_cast<unsigned>(now.rows.dim(0));
  const unsigned tiles = std::min(graph.getTarget().getNumTiles(), rows);
  const Tensor all = concat({now.haloAbove, now.rows, now.haloBelow});
  const ComputeSet diffuse = graph.addComputeSet("diffuse");
  for (unsigned tile = 0; tile < tiles; ++tile) {
    for (unsigned row = tile * rows / tiles; row < (tile + 1) * rows / tiles; ++row) {
      const VertexRef v = graph.addVertex(diffuse, "DiffuseRow",
                                          {{"above", all[row]},
                                           {"row", all[row + 1]},
                                           {"below", all[row + 2]},
                                           {"next", next.rows[row]}});
      graph.setInitialValue(v["rate"], kRate);
      graph.setTileMapping(v, tile);
    }
  }
  const unsigned replicas = graph.getReplicationFactor();
  return Sequence({sendRow(graph, now.rows.slice(rows - 1, rows), now.haloAbove, 1),
                   sendRow(graph, now.rows.slice(0, 1), now.haloBelow, replicas - 1),
                   Execute(diffuse)});
}

} // namespace

Program buildHeat(Graph &graph, const Options &options) {
  graph.addCodelets(STENCIL_CODELETS);
  const unsigned rows = options.rows / options.replicas;
  const Plate even = addPlate(graph, rows, options.columns, "even");
  const Plate odd = addPlate(graph, rows, options.columns, "odd");
  Sequence steps(
      {Repeat(options.steps / 2, Sequence({step(graph, even, odd), step(graph, odd, even)}))});
  const Tensor cycles = cycleCount(graph, steps, 0, SyncType::INTERNAL);

  const std::size_t elements = even.rows.numElements();
  const DataStream plate = graph.addHostToDeviceFIFO("plate", FLOAT, elements);
  const DataStream result = graph.addDeviceToHostFIFO("result", FLOAT, elements);
  const DataStream cyclesOut = graph.addDeviceToHostFIFO("cycles", UNSIGNED_INT, 2);
  return Sequence(
      {Copy(plate, even.rows), steps, Copy(even.rows, result), Copy(cycles, cyclesOut)});
}

std::vector<float> diffuseOnHost(std::vector<float> plate, const Options &options) {
  const std::size_t rows = options.rows, columns = options.columns;
  std::vector<float> next(plate.size());
  for (unsigned s = 0; s < options.steps; ++s, plate.swap(next)) {
    for (std::size_t r = 0; r < rows; ++r) {
      const float *row = &plate[r * columns];
      const float *above = &plate[(r + rows - 1) % rows * columns];
      const float *below = &plate[(r + 1) % rows * columns];
      for (std::size_t c = 0; c < columns; ++c) {
        const float sides = row[(c + columns - 1) % columns] + row[(c + 1) % columns];
        next[r * columns + c] = row[c] + kRate * (sides + above[c] + below[c] - 4.0f * row[c]);
      }
    }
  }
  return plate;
}

} // namespace stencil
