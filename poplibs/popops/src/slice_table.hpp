#pragma once

#include "table_layout.hpp"

#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <utility>
#include <vector>

namespace copse::slices {

/// A tensor that is sliced along one dimension, seen as a table: rows are the sliced dimension, and
/// all other dimensions together are the columns.
class Table {
public:
  /// Keeps a reference to \p graph.
  Table(poplar::Graph &graph, const poplar::Tensor &t, std::size_t dim);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return matrix_.dim(1); }
  const poplar::Tensor &matrix() const { return matrix_; }
  poplar::Type type() const { return matrix_.elementType(); }

  /// Returns the table's layout and true if its tile mapping is a layout; otherwise a layout that
  /// it should be copied to, and false.
  std::pair<TableLayout, bool> layout() const;

  /// Returns [lookups, sliceRows, columns] with the table's other dimensions in their places:
  /// [lookups, ...].
  poplar::Tensor asSlices(const poplar::Tensor &slices) const;
  /// Converts [lookups, ...] back to [lookups, sliceRows, columns].
  poplar::Tensor asMatrices(const poplar::Tensor &slices) const;

private:
  std::size_t widthOfFirstPart() const;

  poplar::Graph &graph_;
  unsigned dim_;
  poplar::Tensor rolled_;
  std::size_t rows_;
  poplar::Tensor matrix_;
};

/// Plans a layout for the tiles of \p graph's target.
TableLayout plannedFor(const poplar::Graph &graph, const poplar::Type &type, std::size_t rows,
                       std::size_t columns, const TableRoom &room);

/// Adds a variable [leading..., columns] in whose memory the columns of a part of \p layout lie
/// together, so that the part of a tile is one piece.
poplar::Tensor variableByParts(poplar::Graph &graph, const poplar::Type &type,
                               const std::vector<std::size_t> &leading, std::size_t columns,
                               const TableLayout &layout, const poplar::DebugContext &debugContext);

void mapTo(poplar::Graph &graph, const poplar::Tensor &matrix, const TableLayout &layout);

/// Maps slices: each column to the tiles that have it in \p layout, which share the look-ups.
/// \param slices  [lookups, sliceRows, columns]
void mapSlices(poplar::Graph &graph, const poplar::Tensor &slices, const TableLayout &layout);

} // namespace copse::slices
