#pragma once

#include "slice_vertices.hpp"

#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace copse::slices {

/// Vertices slice a table along one dimension only. To slice along several, this class joins the
/// sliced dimensions into one, and gives each position in a slice an offset of its own.
class JoinedDimensions {
public:
  /// \param offsets  [lookups, dims.size()]
  /// \param outside  for Outside::Skipped, slices that are not wholly inside the table get offsets
  ///   beyond its end
  JoinedDimensions(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offsets,
                   const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                   Outside outside, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext);

  const poplar::Tensor &table() const { return table_; } ///< [rows, others...]
  const poplar::Tensor &rows() const { return rows_; }   ///< [lookups * positions, 1]

  /// \param slices  [lookups, slice...] \returns [lookups * positions, 1, others...]
  poplar::Tensor asRows(const poplar::Tensor &slices) const;
  /// Returns the inverse. \param shape  of the slices
  poplar::Tensor asSlices(const poplar::Tensor &rows, const std::vector<std::size_t> &shape) const;

private:
  std::vector<unsigned> order_; ///< order of the dimensions of slices: lookups, sliced ones, others
  poplar::Tensor table_, rows_;
};

} // namespace copse::slices
