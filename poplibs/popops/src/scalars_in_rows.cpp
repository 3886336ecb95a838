#include "popops/SelectScalarFromRows.hpp"
#include "popops/UpdateScalarInRows.hpp"
#include "poputil/VertexTemplates.hpp"
#include "poputil/exceptions.hpp"
#include "table_layout.hpp"
#include "tile_work/codelet_groups.hpp"
#include "tile_work/worker_cycles.hpp"

#include <algorithm>

using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace popops {
namespace {

void check(const char *function, const Tensor &params, const Tensor &indices) {
  const std::string name = function;
  if (params.rank() != 2 || indices.rank() != 1 || params.dim(0) != indices.dim(0))
    throw poplibs_error(name + ": parameters of shape " + params.shapeToString() +
                        " and indices of shape " + indices.shapeToString() +
                        "; they must be {N,W} and {N}");
  if (params.elementType() != poplar::FLOAT && params.elementType() != poplar::HALF)
    throw poplibs_error(name + ": not for elements of type " +
                        params.elementType().toString().cloneAsString());
  if (indices.elementType() != poplar::UNSIGNED_INT)
    throw poplibs_error(name + ": indices are UNSIGNED_INT, not " +
                        indices.elementType().toString().cloneAsString());
}

/// Rows in equal shares.
std::vector<Interval> rowsOfTiles(const Graph &graph, std::size_t rows) {
  return copse::slices::shares(rows, std::min<std::size_t>(rows, graph.getTarget().getNumTiles()));
}

poplar::VertexRef addVertex(Graph &graph, poplar::ComputeSet cs, const char *name,
                            const Tensor &params, const Tensor &indices, Interval rows,
                            unsigned tile) {
  const std::string vertexType = poputil::templateVertex(name, params.elementType());
  copse::tile_work::addCodeletGroup(graph, "popops", "encoding", vertexType);
  const poplar::VertexRef v = graph.addVertex(
      cs, vertexType, {{"params", params.slice(rows).flatten()}, {"indices", indices.slice(rows)}});
  graph.setInitialValue(v["columns"], static_cast<unsigned>(params.dim(1)));
  graph.setTileMapping(v, tile);
  const poplar::Target &target = graph.getTarget();
  const auto share = copse::tile_work::largestWorkerShare(target, rows.size(), 1);
  graph.setPerfEstimate(
      v, copse::tile_work::workerCycles(target, copse::tile_work::kVertexInstructions + 9 * share));
  return v;
}

} // namespace

Tensor selectScalarFromRows(Graph &graph, const Tensor &params, const Tensor &indices,
                            Sequence &prog, const DebugContext &debugContext) {
  check("selectScalarFromRows", params, indices);
  const Tensor out =
      graph.addVariable(params.elementType(), {params.dim(0)}, {debugContext, "selected"});
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "selectScalarFromRows"});
  unsigned tile = 0;
  for (const Interval &rows : rowsOfTiles(graph, params.dim(0))) {
    graph.setTileMapping(out.slice(rows), tile);
    const poplar::VertexRef v =
        addVertex(graph, cs, "popops::SelectFromRows", params, indices, rows, tile++);
    graph.connect(v["out"], out.slice(rows));
  }
  prog.add(poplar::program::Execute(cs, debugContext));
  return out;
}

void updateScalarInRows(Graph &graph, const Tensor &params, const Tensor &indices,
                        Sequence &program, const DebugContext &debugContext) {
  check("updateScalarInRows", params, indices);
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "updateScalarInRows"});
  unsigned tile = 0;
  for (const Interval &rows : rowsOfTiles(graph, params.dim(0)))
    addVertex(graph, cs, "popops::UpdateInRows", params, indices, rows, tile++);
  program.add(poplar::program::Execute(cs, debugContext));
}

} // namespace popops
