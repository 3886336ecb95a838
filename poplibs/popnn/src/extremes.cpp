#include "extremes.hpp"

#include "checks.hpp"
#include "popnn/Loss.hpp"
#include "rows.hpp"

#include <functional>
#include <poputil/VertexTemplates.hpp>
#include <tile_work/codelet_groups.hpp>

namespace popnn {
namespace {

using poplar::Graph;
using poplar::Tensor;

void check(const char *function, const Tensor &input) {
  const poplar::Type type = input.elementType();
  require(function, input.rank() == 2,
          "the input must have two dimensions, not shape " + input.shapeToString());
  require(function,
          type == poplar::FLOAT || type == poplar::HALF || type == poplar::INT ||
              type == poplar::UNSIGNED_INT,
          "the input must be FLOAT, HALF, INT or UNSIGNED_INT, not " + type.toString());
  require(function, input.dim(1) != 0, "rows without elements have no extreme");
}

/// Adds a vertex for each share of the rows, with `values` and `indices` of \p count elements a
/// row.
std::pair<Tensor, Tensor> addRows(const char *function, Graph &graph, const std::string &name,
                                  const Tensor &input, std::size_t count,
                                  const std::function<void(poplar::VertexRef)> &set,
                                  poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext) {
  const poplar::Type type = input.elementType();
  const std::string vertex = poputil::templateVertex("popnn::" + name, type);
  copse::tile_work::addCodeletGroup(graph, "popnn", "loss", vertex);
  const Tensor values = graph.addVariable(type, {input.dim(0), count}, {debugContext, "values"});
  const Tensor indices =
      graph.addVariable(poplar::UNSIGNED_INT, {input.dim(0), count}, {debugContext, "indices"});
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, function});
  const std::uint64_t workers = graph.getTarget().getNumWorkerContexts();
  for (const RowShare &share : shareRows(graph, input)) {
    const auto part = [&](const Tensor &t) { return t.slice(share.begin, share.end).flatten(); };
    graph.setTileMapping(part(values), share.tile);
    graph.setTileMapping(part(indices), share.tile);
    const auto v = graph.addVertex(
        cs, vertex, {{"rows", part(input)}, {"values", part(values)}, {"indices", part(indices)}});
    graph.setInitialValue(v["columns"], static_cast<unsigned>(input.dim(1)));
    set(v);
    graph.setTileMapping(v, share.tile);
    const std::uint64_t rows = (share.end - share.begin + workers - 1) / workers;
    graph.setPerfEstimate(v, workers * (20 + rows * (10 + 4 * input.dim(1) * count)));
  }
  prog.add(poplar::program::Execute(cs, {debugContext, function}));
  return {values, indices};
}

} // namespace

std::pair<Tensor, Tensor> extremes(const char *function, Graph &graph, const Tensor &input,
                                   bool largest, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext) {
  check(function, input);
  const auto both = addRows(
      function, graph, "Extremes", input, 1,
      [&](poplar::VertexRef v) { graph.setInitialValue(v["largest"], largest); }, prog,
      debugContext);
  return {both.first.flatten(), both.second.flatten()};
}

Tensor argMax(Graph &graph, const Tensor &input, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext) {
  return extremes("argMax", graph, input, true, prog, debugContext).second;
}
Tensor argMin(Graph &graph, const Tensor &input, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext) {
  return extremes("argMin", graph, input, false, prog, debugContext).second;
}
std::pair<Tensor, Tensor> maxAndArgMax(Graph &graph, const Tensor &input,
                                       poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext) {
  return extremes("maxAndArgMax", graph, input, true, prog, debugContext);
}
std::pair<Tensor, Tensor> minAndArgMin(Graph &graph, const Tensor &input,
                                       poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext) {
  return extremes("minAndArgMin", graph, input, false, prog, debugContext);
}

Tensor topK(Graph &graph, const Tensor &input, Tensor &indices, unsigned K, bool /*sort*/,
            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  check("topK", input);
  require("topK", K != 0 && K <= input.dim(1),
          "K is " + std::to_string(K) + ", but rows have " + std::to_string(input.dim(1)) +
              " elements");
  const auto both = addRows(
      "topK", graph, "Largest", input, K,
      [&](poplar::VertexRef v) { graph.setInitialValue(v["count"], K); }, prog, debugContext);
  indices = both.second.expand({1});
  return both.first.expand({1});
}

} // namespace popnn
