#pragma once

#include "layout.hpp"

#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace gcl {

/// The rows on which a plan of a collective works: the operand's rows, and extra rows that receive
/// data of other replicas. Rows are variables whose columns lie on the tiles of a layout, so that
/// all arithmetic on a column is local to its tile.
class Matrix {
public:
  /// \param rows   number of rows of the operand or the result, which are contiguous
  /// \param extra  number of rows that only receive
  Matrix(poplar::Graph &graph, const poplar::Type &type, const Layout &layout, std::size_t rows,
         std::size_t extra, const poplar::DebugContext &debugContext);

  poplar::Graph &graph() const { return graph_; }
  const poplar::Type &type() const { return type_; }
  std::size_t columns() const { return columns_; }
  /// Returns the rows of the operand; shape [rows][columns].
  const poplar::Tensor &main() const { return main_; }
  /// Returns the rows that receive; shape [extra][columns].
  const poplar::Tensor &extra() const { return extra_; }
  /// Returns rows [first, first + count), which must be all of the operand or all extra.
  poplar::Tensor rows(std::size_t first, std::size_t count) const;

  const poplar::Graph::TileToTensorMapping &columnsOnTile() const { return columnsOnTile_; }
  /// Calls \p visit for each tile that has columns of [begin, end).
  void
  forEachTile(std::size_t begin, std::size_t end,
              const std::function<void(unsigned tile, const std::vector<poplar::Interval> &columns)>
                  &visit) const;

private:
  poplar::Graph &graph_;
  poplar::Type type_;
  std::size_t rows_, columns_;
  poplar::Graph::TileToTensorMapping columnsOnTile_;
  poplar::Tensor main_, extra_;
};

/// Returns columns of rows as one tensor of rank 1.
poplar::Tensor pieces(const poplar::Tensor &rows, const std::vector<poplar::Interval> &columns);

/// The source and destination of a copy, both of rank 1.
struct CopyEnds {
  poplar::Tensor from, to;
};
/// Returns the ends of a copy from the operand to \p rows, with zeros for the padding.
/// \param rows  shape [layout.rows][layout.columns]
CopyEnds loadEnds(poplar::Graph &graph, const poplar::Tensor &operand, const Layout &layout,
                  const poplar::Tensor &rows, const poplar::DebugContext &debugContext);
/// Returns the ends of a copy from \p rows, without padding, to \p operand.
CopyEnds storeEnds(const poplar::Tensor &rows, const Layout &layout, const poplar::Tensor &operand);

} // namespace gcl
