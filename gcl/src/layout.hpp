#pragma once

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace gcl {

/// Where the elements of an operand, of shape [n], stand in a matrix whose rows are its parts, one
/// for each member of a group. A column of the matrix lies on one tile: so what members do with
/// rows needs no exchange within the IPU.
struct Layout {
  std::size_t rows = 1, columns = 0;
  /// Of one row, shape [tile][interval of columns].
  poplar::Graph::TileToTensorMapping columnsOnTile;
  /// Both have n elements: element i of the intervals of `operand` stands where element i of those
  /// of `matrix` does, in the order of its rows. The other elements of the matrix are padding.
  std::vector<poplar::Interval> operand, matrix;
};

/// A layout for operations that may share out the elements as they like. Each tile's elements are
/// divided by the rows; what remains is divided among the tiles of its IPU, so that an IPU pads
/// less than rows * grain elements.
/// \param mapping  of the operand
/// \param grain    elements of a row that stay together
Layout balancedLayout(const poplar::Graph::TileToTensorMapping &mapping, unsigned tilesPerIpu,
                      std::size_t rows, std::size_t grain);

/// Elements [begin, end) of an operand: one tensor of several, for instance.
struct Segment {
  std::size_t begin = 0, end = 0;
};

/// A layout in which row i has the i-th part of each segment, in the order of its elements: part by
/// part of ceil(elements / rows). On several IPUs, the elements of a segment that lie on one IPU
/// are divided for themselves. If all parts lie alike on tiles, so do the rows; else a row is
/// spread over the tiles of the segment.
/// \param columnsOf  set to the number of columns of each segment
Layout orderedLayout(const poplar::Graph::TileToTensorMapping &mapping, unsigned tilesPerIpu,
                     const std::vector<Segment> &segments, std::size_t rows,
                     std::vector<std::size_t> &columnsOf);

/// A layout of one row, the operand itself.
Layout rowLayout(const poplar::Graph::TileToTensorMapping &mapping);

/// The elements of \p flat in \p intervals, one after the other; not for no intervals.
poplar::Tensor gathered(const poplar::Tensor &flat, const std::vector<poplar::Interval> &intervals);

} // namespace gcl
