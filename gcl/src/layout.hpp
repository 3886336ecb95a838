#pragma once

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace gcl {

/// The places of the elements of an operand, of shape [n], in a matrix whose rows are its parts,
/// one for each member of a group. A column of the matrix lies on one tile, so that operations on
/// rows need no exchange within the IPU.
struct Layout {
  std::size_t rows = 1, columns = 0;
  /// The columns of one row, shape [tile][interval of columns].
  poplar::Graph::TileToTensorMapping columnsOnTile;
  /// Both have n elements: element i of the intervals of `operand` is at element i of the intervals
  /// of `matrix`, in row-major order. The other elements of the matrix are padding.
  std::vector<poplar::Interval> operand, matrix;
};

/// Returns a layout for operations that may distribute the elements freely. The layout divides each
/// tile's elements by the rows, and distributes the remainder over the tiles of the IPU. An IPU
/// therefore has fewer than rows * grain elements of padding.
/// \param mapping  mapping of the operand
/// \param grain    number of elements of a row that stay together
Layout balancedLayout(const poplar::Graph::TileToTensorMapping &mapping, unsigned tilesPerIpu,
                      std::size_t rows, std::size_t grain);

/// Elements [begin, end) of an operand, for example one of several tensors.
struct Segment {
  std::size_t begin = 0, end = 0;
};

/// Returns a layout in which row i has the i-th part of each segment, in order: each part has
/// ceil(elements / rows) elements. With several IPUs, the elements of a segment on each IPU are
/// divided separately. If all parts lie alike on tiles, rows do, too. Otherwise rows are spread
/// over the tiles of the segment.
/// \param columnsOf  set to the number of columns of each segment
Layout orderedLayout(const poplar::Graph::TileToTensorMapping &mapping, unsigned tilesPerIpu,
                     const std::vector<Segment> &segments, std::size_t rows,
                     std::vector<std::size_t> &columnsOf);

/// Returns a layout of one row, which is the operand itself.
Layout rowLayout(const poplar::Graph::TileToTensorMapping &mapping);

/// Returns the elements of \p flat in \p intervals, which must not be empty, in order.
poplar::Tensor gathered(const poplar::Tensor &flat, const std::vector<poplar::Interval> &intervals);

} // namespace gcl
