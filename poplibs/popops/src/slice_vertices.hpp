#pragma once

#include "slice_table.hpp"

#include <cstddef>
#include <cstdint>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <string>

namespace copse::slices {

/// The treatment of slices that are not wholly inside their table.
enum class Outside {
  Skipped, ///< nothing
  Wraps,   ///< what slice() reads
};

/// Adds vertices for slices of one table.
class Rows {
public:
  /// Keeps references to the first two and to \p debugContext.
  /// \param offsets  rows of the table at which slices begin
  Rows(poplar::Graph &graph, const Table &table, const poplar::Tensor &offsets,
       std::size_t sliceRows, const poplar::DebugContext &debugContext);

  /// Reads slices. An offset beyond the end counts as 0, and after the last row comes the first.
  /// \returns [lookups, sliceRows, columns]
  poplar::Tensor slice(poplar::program::Sequence &prog);

  /// \param vertex  UpdateRows or CombineRows
  /// \param slices  [lookups, sliceRows, columns]
  /// \param scale   null: the vertex has no scale
  void update(const std::string &vertex, const poplar::Tensor &slices, const poplar::Tensor *scale,
              Outside outside, std::size_t instructionsPerVector, poplar::program::Sequence &prog);

private:
  /// Returns a copy of the table in a layout of rectangles, for a table whose tile mapping is none.
  poplar::Tensor laidOut(poplar::program::Sequence &prog);
  void place(poplar::VertexRef v, const TableBlock &block);
  /// \param blocks  among which the rows are
  void addSlice(poplar::ComputeSet cs, const poplar::Tensor &matrix, const TableBlock &block,
                const poplar::Tensor &out, std::size_t blocks);
  /// \param partial  [blocks, lookups, elements]
  void addJoin(poplar::ComputeSet cs, const ColumnPart &part, const poplar::Tensor &partial,
               const poplar::Interval &lookups, const poplar::Tensor &out, unsigned tile);
  std::uint64_t vectorsOf(std::size_t columns) const;
  /// Estimates a vertex that compares every offset, and copies or combines the rows of one in \p
  /// among.
  void estimate(poplar::VertexRef v, std::size_t columns, std::size_t among,
                std::size_t instructionsPerVector);
  void estimate(poplar::VertexRef v, std::uint64_t instructions);

  poplar::Graph &graph_;
  const Table &table_;
  const poplar::Tensor offsets_;
  const std::size_t sliceRows_;
  const poplar::DebugContext &debugContext_;
  TableLayout layout_;
  bool inPlace_ = true;
};

} // namespace copse::slices
