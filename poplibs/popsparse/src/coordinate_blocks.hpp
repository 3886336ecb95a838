#pragma once

#include "popsparse/SparseStorageFormats.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace popsparse {

/// A block that is not zero: its place, in blocks, and where its values begin.
struct CoordinateBlock {
  std::size_t row, column, values;
  bool operator<(const CoordinateBlock &other) const {
    return row != other.row ? row < other.row : column < other.column;
  }
};

/// Returns the blocks of a matrix of \p rows and \p columns, by rows, then columns.
/// \throws poputil::poplibs_error if indices do not fit, or blocks are not \p block
template <typename T>
std::vector<CoordinateBlock> blocksOf(const COOMatrix<T> &matrix, std::size_t rows,
                                      std::size_t columns, const std::array<std::size_t, 2> &block);
template <typename T>
std::vector<CoordinateBlock> blocksOf(const CSRMatrix<T> &matrix, std::size_t rows,
                                      std::size_t columns, const std::array<std::size_t, 2> &block);
template <typename T>
std::vector<CoordinateBlock> blocksOf(const CSCMatrix<T> &matrix, std::size_t rows,
                                      std::size_t columns, const std::array<std::size_t, 2> &block);

} // namespace popsparse
