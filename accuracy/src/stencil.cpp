// Models explicit steps of the heat equation on a grid of cells, whose last dimension is divided
// between the IPUs first.
#include "measured_program.hpp"
#include "programs.hpp"

#include <array>
#include <sstream>

namespace copse::accuracy {

using namespace poplar;
using namespace poplar::program;

namespace {

// Each codelet computes the two ends of a row cell by cell, and pairs of cells between them. Rows
// have a cell of the neighbours at both ends, so a pair of results is not aligned to 8 bytes.
const char *const kCodelets = R"(
#include <ipudef.h>
#include <poplar/Vertex.hpp>
using namespace poplar;
using Inputs = Vector<Input<Vector<float, VectorLayout::SPAN, 8, false>>>;
using Outputs = Vector<Output<Vector<float, VectorLayout::SPAN, 4, false>>>;

class Heat2 : public Vertex {
public:
  Inputs in;
  Outputs out;
  const int rows, columns;
  const float alpha;

  bool compute() {
    const float beta = 1.0f - 4.0f * alpha;
    for (int r = 0; r < rows; ++r) {
      const auto cell = [&](int c) {
        out[r][c - 1] = beta * in[r + 1][c] + alpha * (in[r + 2][c] + in[r][c] + in[r + 1][c + 1] +
                                                       in[r + 1][c - 1]);
      };
      cell(1);
      if (columns % 2 == 0)
        cell(columns);
    }
    const int pairs = (columns + 1) / 2;
    for (int r = 0; r < rows; ++r) {
      const float2 *__restrict__ above = reinterpret_cast<const float2 *>(&in[r][0]);
      const float2 *__restrict__ here = reinterpret_cast<const float2 *>(&in[r + 1][0]);
      const float2 *__restrict__ below = reinterpret_cast<const float2 *>(&in[r + 2][0]);
      for (int p = 1; p < pairs; ++p) {
        float2 sum;
        sum[0] = here[p - 1][1] + here[p][1];
        sum[1] = here[p][0] + here[p + 1][0];
        sum = beta * here[p] + alpha * (above[p] + sum + below[p]);
        out[r][2 * p - 1] = sum[0];
        out[r][2 * p] = sum[1];
      }
    }
    return true;
  }
};

class Heat3 : public Vertex {
public:
  Inputs in;
  Outputs out;
  const int rows, columns, depth;
  const float alpha;

  bool compute() {
    const float beta = 1.0f - 6.0f * alpha;
    const int stride = columns + 2;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const float *__restrict__ above = &in[r * stride + c + 1][0];
        const float *__restrict__ left = &in[(r + 1) * stride + c][0];
        const float *__restrict__ here = &in[(r + 1) * stride + c + 1][0];
        const float *__restrict__ right = &in[(r + 1) * stride + c + 2][0];
        const float *__restrict__ below = &in[(r + 2) * stride + c + 1][0];
        float *__restrict__ to = &out[r * columns + c][0];
        const auto cell = [&](int d) {
          to[d - 1] = beta * here[d] + alpha * (above[d] + below[d] + left[d] + right[d] +
                                                here[d + 1] + here[d - 1]);
        };
        cell(1);
        if (depth % 2 == 0)
          cell(depth);
      }
    const int pairs = (depth + 1) / 2;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const auto row = [&](int number) {
          return reinterpret_cast<const float2 *>(&in[number][0]);
        };
        const float2 *__restrict__ above = row(r * stride + c + 1);
        const float2 *__restrict__ left = row((r + 1) * stride + c);
        const float2 *__restrict__ here = row((r + 1) * stride + c + 1);
        const float2 *__restrict__ right = row((r + 1) * stride + c + 2);
        const float2 *__restrict__ below = row((r + 2) * stride + c + 1);
        float *__restrict__ to = &out[r * columns + c][0];
        for (int p = 1; p < pairs; ++p) {
          float2 sum;
          sum[0] = here[p - 1][1] + here[p][1];
          sum[1] = here[p][0] + here[p + 1][0];
          sum = beta * here[p] + alpha * (sum + above[p] + below[p] + left[p] + right[p]);
          to[2 * p - 1] = sum[0];
          to[2 * p] = sum[1];
        }
      }
    return true;
  }
};
)";

using Extent = std::array<std::size_t, 3>; ///< rows, columns, and the cells of a row

/// The tiles of all IPUs, with equal blocks of cells. In two dimensions, there is one column of
/// rows.
struct Grid {
  Extent block, tiles;  ///< cells of a tile; tiles of an IPU
  Extent halo, workers; ///< cells around a block; parts of a block
  std::size_t ipus;

  std::size_t tilesAlong(std::size_t dimension) const {
    return tiles[dimension] * (dimension == 2 ? ipus : 1);
  }
  Extent cells() const {
    Extent all;
    for (std::size_t d = 0; d < 3; ++d)
      all[d] = tilesAlong(d) * block[d] + 2 * halo[d];
    return all;
  }
  /// Calls \p f(tile, first cell of its block) for each tile.
  template <typename F> void visitTiles(unsigned tilesPerIpu, const F &f) const {
    for (std::size_t x = 0; x < tilesAlong(0); ++x)
      for (std::size_t y = 0; y < tilesAlong(1); ++y)
        for (std::size_t z = 0; z < tilesAlong(2); ++z) {
          const std::size_t within = (x * tiles[1] + y) * tiles[2] + z % tiles[2];
          f(static_cast<unsigned>(z / tiles[2] * tilesPerIpu + within),
            Extent{x * block[0], y * block[1], z * block[2]});
        }
  }
};

Grid gridOf(const Parameters &parameters) {
  const auto rows = parameters.get<std::size_t>("rows"),
             columns = parameters.get<std::size_t>("columns"),
             depth = parameters.get<std::size_t>("depth", 0);
  const auto tileRows = parameters.get<std::size_t>("tileRows"),
             tileColumns = parameters.get<std::size_t>("tileColumns", 1);
  const auto ipus = parameters.get<std::size_t>("ipus", 1);
  if (depth == 0)
    return {{rows, 1, columns}, {tileRows, 1, 1}, {1, 0, 1}, {6, 1, 1}, ipus};
  return {{rows, columns, depth}, {tileRows, tileColumns, 1}, {1, 1, 1}, {2, 3, 1}, ipus};
}

/// Maps the cells of a tensor to the tiles of their blocks; a halo around all blocks belongs to the
/// nearest tile.
void map(Graph &graph, const Tensor &cells, const Grid &grid) {
  const Extent all = grid.cells();
  grid.visitTiles(graph.getTarget().getTilesPerIPU(), [&](unsigned tile, const Extent &first) {
    std::vector<std::size_t> begin(3), end(3);
    for (std::size_t d = 0; d < 3; ++d) {
      begin[d] = first[d] == 0 ? 0 : first[d] + grid.halo[d];
      end[d] = first[d] + grid.block[d] + grid.halo[d];
      if (end[d] + grid.halo[d] == all[d])
        end[d] = all[d];
    }
    graph.setTileMapping(cells.slice(begin, end), tile);
  });
}

/// Adds a compute set that computes \p to from \p from.
ComputeSet addStep(Graph &graph, const Tensor &from, const Tensor &to, const Grid &grid) {
  const ComputeSet set = graph.addComputeSet("heat");
  const bool isFlat = grid.halo[1] == 0;
  const auto partOf = [&](std::size_t worker, std::size_t d) {
    return grid.block[d] * worker / grid.workers[d];
  };
  grid.visitTiles(graph.getTarget().getTilesPerIPU(), [&](unsigned tile, const Extent &first) {
    for (std::size_t x = 0; x < grid.workers[0]; ++x)
      for (std::size_t y = 0; y < grid.workers[1]; ++y) {
        const Extent begin{first[0] + partOf(x, 0), first[1] + partOf(y, 1), first[2]};
        const Extent size{partOf(x + 1, 0) - partOf(x, 0), partOf(y + 1, 1) - partOf(y, 1),
                          grid.block[2]};
        std::vector<std::size_t> outer(3), inner(3), innerEnd(3), outerEnd(3);
        for (std::size_t d = 0; d < 3; ++d) {
          outer[d] = begin[d];
          inner[d] = begin[d] + grid.halo[d];
          innerEnd[d] = inner[d] + size[d];
          outerEnd[d] = innerEnd[d] + grid.halo[d];
        }
        const VertexRef vertex = graph.addVertex(set, isFlat ? "Heat2" : "Heat3");
        graph.connect(vertex["in"], from.slice(outer, outerEnd).flatten(0, 2));
        graph.connect(vertex["out"], to.slice(inner, innerEnd).flatten(0, 2));
        graph.setInitialValue(vertex["rows"], static_cast<int>(size[0]));
        graph.setInitialValue(vertex["columns"], static_cast<int>(isFlat ? size[2] : size[1]));
        if (!isFlat)
          graph.setInitialValue(vertex["depth"], static_cast<int>(size[2]));
        graph.setInitialValue(vertex["alpha"], 0.1f);
        graph.setTileMapping(vertex, tile);
      }
  });
  return set;
}

} // namespace

double heatMicroseconds(const Parameters &parameters) {
  const Grid grid = gridOf(parameters);
  const Machine machine(parameters, static_cast<unsigned>(grid.ipus));
  Graph graph(machine.device());
  std::stringstream codelets(kCodelets);
  graph.addCodelets(codelets);
  const Extent all = grid.cells();
  std::array<Tensor, 2> cells;
  for (Tensor &each : cells) {
    each = graph.addVariable(FLOAT, {all[0], all[1], all[2]}, "cells");
    map(graph, each, grid);
  }
  const Sequence steps({Execute(addStep(graph, cells[0], cells[1], grid)),
                        Execute(addStep(graph, cells[1], cells[0], grid))});
  constexpr unsigned kTimes = 10;
  const double cycles = cyclesOf(machine, graph, {Repeat(kTimes, steps)}).front() / (2 * kTimes);
  return 1e6 * cycles / machine.clockHz();
}

} // namespace copse::accuracy
