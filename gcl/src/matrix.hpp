#pragma once

#include "layout.hpp"

#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace gcl {

/// The rows that a plan works on, as variables: each column lies on the tile that a layout says.
class Matrix {
public:
  /// \param rows   rows of the operand or the result, which lie together
  /// \param extra  rows that only receive
  Matrix(poplar::Graph &graph, const poplar::Type &type, const Layout &layout, std::size_t rows,
         std::size_t extra, const poplar::DebugContext &debugContext);

  poplar::Graph &graph() const { return graph_; }
  const poplar::Type &type() const { return type_; }
  std::size_t columns() const { return columns_; }
  /// The rows of the operand; shape [rows][columns].
  const poplar::Tensor &main() const { return main_; }
  /// The rows that receive; shape [extra][columns].
  const poplar::Tensor &extra() const { return extra_; }
  /// Rows [first, first + count), which are all of the operand or all extra.
  poplar::Tensor rows(std::size_t first, std::size_t count) const;

  const poplar::Graph::TileToTensorMapping &columnsOnTile() const { return columnsOnTile_; }
  /// Calls \p visit for each tile with columns among [begin, end).
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

/// Columns of rows, as one tensor of rank 1.
poplar::Tensor pieces(const poplar::Tensor &rows, const std::vector<poplar::Interval> &columns);

/// The two ends of a copy, both of rank 1.
struct CopyEnds {
  poplar::Tensor from, to;
};
/// From the operand to \p rows, with zeros for the padding.
/// \param rows  shape [layout.rows][layout.columns]
CopyEnds loadEnds(poplar::Graph &graph, const poplar::Tensor &operand, const Layout &layout,
                  const poplar::Tensor &rows, const poplar::DebugContext &debugContext);
/// From \p rows, without padding, to \p operand.
CopyEnds storeEnds(const poplar::Tensor &rows, const Layout &layout, const poplar::Tensor &operand);

} // namespace gcl
