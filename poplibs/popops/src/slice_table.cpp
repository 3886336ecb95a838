#include "slice_table.hpp"

#include <poplar/Target.hpp>

namespace copse::slices {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using poplar::Type;

Table::Table(Graph &graph, const Tensor &t, std::size_t dim)
    : graph_(graph), dim_(static_cast<unsigned>(dim)), rolled_(t.dimRoll(dim_, 0)),
      rows_(rolled_.dim(0)),
      matrix_(rolled_.reshape({rows_, rows_ == 0 ? 0 : t.numElements() / rows_})) {}

std::pair<TableLayout, bool> Table::layout() const {
  const std::size_t width = widthOfFirstPart();
  const Tensor byParts = matrix_.reshape({rows(), columns() / width, width}).dimShuffle({1, 0, 2});
  if (auto own = layoutOf(rows(), columns(), width, graph_.getTileMapping(byParts.flatten())))
    return {std::move(*own), true};
  return {plannedFor(graph_, type(), rows(), columns(), {}), false};
}

Tensor Table::asSlices(const Tensor &slices) const {
  auto shape = rolled_.shape();
  shape.front() = slices.dim(1);
  shape.insert(shape.begin(), slices.dim(0));
  return slices.reshape(shape).dimRoll(1, dim_ + 1);
}

Tensor Table::asMatrices(const Tensor &slices) const {
  const Tensor rolled = slices.dimRoll(dim_ + 1, 1);
  return rolled.reshape({rolled.dim(0), rolled.dim(1), columns()});
}

/// Returns how many columns of the first row are on the tile of its first element; all columns, if
/// that number does not divide them.
std::size_t Table::widthOfFirstPart() const {
  for (const std::vector<Interval> &tile : graph_.getTileMapping(matrix_[0]))
    if (!tile.empty() && tile.front().begin() == 0)
      return columns() % tile.front().size() == 0 ? tile.front().size() : columns();
  return columns();
}

TableLayout plannedFor(const Graph &graph, const Type &type, std::size_t rows, std::size_t columns,
                       const TableRoom &room) {
  const poplar::Target &target = graph.getTarget();
  const auto most = static_cast<std::size_t>(room.share * target.getBytesPerTile() /
                                             static_cast<double>(target.getTypeSize(type)));
  return plannedLayout(rows, columns, target.getNumTiles(), target.getVectorWidth(type), most,
                       room.spreads);
}

Tensor variableByParts(Graph &graph, const Type &type, const std::vector<std::size_t> &leading,
                       std::size_t columns, const TableLayout &layout,
                       const DebugContext &debugContext) {
  std::vector<std::size_t> shape = leading;
  shape.push_back(columns);
  const std::size_t width = commonWidth(layout);
  if (width == 0)
    return graph.addVariable(type, shape, debugContext);
  std::size_t rows = 1;
  for (const std::size_t dim : leading)
    rows *= dim;
  return graph.addVariable(type, {columns / width, rows, width}, debugContext)
      .dimShuffle({1, 0, 2})
      .reshape(shape);
}

void mapTo(Graph &graph, const Tensor &matrix, const TableLayout &layout) {
  for (const ColumnPart &part : layout)
    for (const TableBlock &block : part.blocks)
      graph.setTileMapping(matrix.slice({block.rows.begin(), block.columns.begin()},
                                        {block.rows.end(), block.columns.end()}),
                           block.tile);
}

void mapSlices(Graph &graph, const Tensor &slices, const TableLayout &layout) {
  for (const ColumnPart &part : layout) {
    const Tensor columns = slices.slice(part.columns, 2);
    const auto pieces = shares(slices.dim(0), part.blocks.size());
    for (std::size_t b = 0; b != part.blocks.size(); ++b)
      graph.setTileMapping(columns.slice(pieces[b], 0), part.blocks[b].tile);
  }
}

} // namespace copse::slices
