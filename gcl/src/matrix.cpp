#include "matrix.hpp"

#include <algorithm>

namespace gcl {
namespace {

using poplar::Interval;
using poplar::Tensor;

poplar::Tensor variable(poplar::Graph &graph, const poplar::Type &type, std::size_t rows,
                        const Layout &layout, const poplar::DebugContext &debugContext) {
  const Tensor t = graph.addVariable(type, {rows, layout.columns}, debugContext);
  for (unsigned tile = 0; tile < layout.columnsOnTile.size(); ++tile)
    for (const Interval &columns : layout.columnsOnTile[tile])
      graph.setTileMapping(t.slice(columns, 1), tile);
  return t;
}

/// Returns the parts of [0, size) outside \p intervals.
std::vector<Interval> others(std::vector<Interval> intervals, std::size_t size) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval &a, const Interval &b) { return a.begin() < b.begin(); });
  std::vector<Interval> rest;
  std::size_t at = 0;
  for (const Interval &interval : intervals) {
    if (interval.begin() > at)
      rest.emplace_back(at, interval.begin());
    at = interval.end();
  }
  if (at < size)
    rest.emplace_back(at, size);
  return rest;
}

} // namespace

Matrix::Matrix(poplar::Graph &graph, const poplar::Type &type, const Layout &layout,
               std::size_t rows, std::size_t extra, const poplar::DebugContext &debugContext)
    : graph_(graph), type_(type), rows_(rows), columns_(layout.columns),
      columnsOnTile_(layout.columnsOnTile),
      main_(variable(graph, type, rows, layout, {debugContext, "parts"})) {
  if (extra > 0)
    extra_ = variable(graph, type, extra, layout, {debugContext, "received"});
}

Tensor Matrix::rows(std::size_t first, std::size_t count) const {
  return first < rows_ ? main_.slice(first, first + count)
                       : extra_.slice(first - rows_, first - rows_ + count);
}

void Matrix::forEachTile(
    std::size_t begin, std::size_t end,
    const std::function<void(unsigned, const std::vector<Interval> &)> &visit) const {
  for (unsigned tile = 0; tile < columnsOnTile_.size(); ++tile) {
    std::vector<Interval> columns;
    for (const Interval &own : columnsOnTile_[tile])
      if (own.begin() < end && begin < own.end())
        columns.emplace_back(std::max(own.begin(), begin), std::min(own.end(), end));
    if (!columns.empty())
      visit(tile, columns);
  }
}

Tensor pieces(const Tensor &rows, const std::vector<Interval> &columns) {
  return poplar::concat(rows.slices(columns, 1), 1).flatten();
}

CopyEnds loadEnds(poplar::Graph &graph, const Tensor &operand, const Layout &layout,
                  const Tensor &rows, const poplar::DebugContext &debugContext) {
  const Tensor matrix = rows.flatten();
  CopyEnds ends{gathered(operand, layout.operand), gathered(matrix, layout.matrix)};
  const std::vector<Interval> padding = others(layout.matrix, matrix.numElements());
  if (padding.empty())
    return ends;
  const Tensor padded = gathered(matrix, padding);
  const Tensor zero = graph.addConstant(operand.elementType(), {1}, 0, {debugContext, "zero"});
  graph.setTileMapping(zero, 0);
  return {concat(ends.from, zero.broadcast(static_cast<unsigned>(padded.numElements()), 0)),
          concat(ends.to, padded)};
}

CopyEnds storeEnds(const Tensor &rows, const Layout &layout, const Tensor &operand) {
  return {gathered(rows.flatten(), layout.matrix), gathered(operand, layout.operand)};
}

} // namespace gcl
