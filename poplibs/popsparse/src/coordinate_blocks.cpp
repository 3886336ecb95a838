#include "coordinate_blocks.hpp"

#include <algorithm>
#include <poputil/exceptions.hpp>
#include <string>

namespace popsparse {
namespace {

using Sizes = std::vector<std::size_t>;

void requireOfMatrix(bool holds, const std::string &what) {
  if (!holds)
    throw poputil::poplibs_error("sparse matrix: " + what);
}

/// Returns the elements' rows and columns of blocks as blocks, sorted.
template <typename Matrix>
std::vector<CoordinateBlock> sorted(const Matrix &matrix, const Sizes &rowOf, const Sizes &columnOf,
                                    std::size_t rows, std::size_t columns,
                                    const std::array<std::size_t, 2> &block) {
  requireOfMatrix(matrix.getBlockDimensions() == block,
                  "blocks of " + std::to_string(matrix.getNumRowsInBlock()) + " x " +
                      std::to_string(matrix.getNumColumnsInBlock()) + "; the parameters say " +
                      std::to_string(block[0]) + " x " + std::to_string(block[1]));
  const std::size_t size = block[0] * block[1];
  requireOfMatrix(rowOf.size() == columnOf.size() && matrix.nzValues.size() == rowOf.size() * size,
                  std::to_string(rowOf.size()) + " rows and " + std::to_string(columnOf.size()) +
                      " columns of blocks for " + std::to_string(matrix.nzValues.size()) +
                      " values");
  std::vector<CoordinateBlock> blocks;
  for (std::size_t i = 0; i != rowOf.size(); ++i) {
    requireOfMatrix(rowOf[i] < rows && columnOf[i] < columns && rowOf[i] % block[0] == 0 &&
                        columnOf[i] % block[1] == 0,
                    "there is no block at row " + std::to_string(rowOf[i]) + " and column " +
                        std::to_string(columnOf[i]));
    blocks.push_back({rowOf[i] / block[0], columnOf[i] / block[1], i * size});
  }
  std::sort(blocks.begin(), blocks.end());
  for (std::size_t i = 1; i < blocks.size(); ++i)
    requireOfMatrix(blocks[i - 1] < blocks[i],
                    "the block at row " + std::to_string(blocks[i].row * block[0]) +
                        " and column " + std::to_string(blocks[i].column * block[1]) +
                        " is there twice");
  return blocks;
}

/// Returns, for each block, the first element of the row (or column) whose starts these are.
Sizes fromStarts(const Sizes &starts, std::size_t lines, std::size_t elementsOfLine,
                 std::size_t blocks, std::size_t blockSize) {
  requireOfMatrix(starts.size() == lines + 1 && starts.front() == 0 &&
                      std::is_sorted(starts.begin(), starts.end()) &&
                      starts.back() == blocks * blockSize,
                  std::to_string(starts.size()) + " starts for " + std::to_string(lines) +
                      " rows or columns of blocks, or starts that do not go up to the number of "
                      "values");
  Sizes lineOf;
  for (std::size_t line = 0; line != lines; ++line)
    for (std::size_t at = starts[line]; at < starts[line + 1]; at += blockSize)
      lineOf.push_back(line * elementsOfLine);
  return lineOf;
}

} // namespace

template <typename T>
std::vector<CoordinateBlock> blocksOf(const COOMatrix<T> &matrix, std::size_t rows,
                                      std::size_t columns,
                                      const std::array<std::size_t, 2> &block) {
  return sorted(matrix, matrix.rowIndices, matrix.columnIndices, rows, columns, block);
}

template <typename T>
std::vector<CoordinateBlock> blocksOf(const CSRMatrix<T> &matrix, std::size_t rows,
                                      std::size_t columns,
                                      const std::array<std::size_t, 2> &block) {
  return sorted(matrix,
                fromStarts(matrix.rowIndices, rows / block[0], block[0],
                           matrix.columnIndices.size(), block[0] * block[1]),
                matrix.columnIndices, rows, columns, block);
}

template <typename T>
std::vector<CoordinateBlock> blocksOf(const CSCMatrix<T> &matrix, std::size_t rows,
                                      std::size_t columns,
                                      const std::array<std::size_t, 2> &block) {
  return sorted(matrix, matrix.rowIndices,
                fromStarts(matrix.columnIndices, columns / block[1], block[1],
                           matrix.rowIndices.size(), block[0] * block[1]),
                rows, columns, block);
}

#define POPSPARSE_BLOCKS(T)                                                                        \
  template std::vector<CoordinateBlock> blocksOf(const COOMatrix<T> &, std::size_t, std::size_t,   \
                                                 const std::array<std::size_t, 2> &);              \
  template std::vector<CoordinateBlock> blocksOf(const CSRMatrix<T> &, std::size_t, std::size_t,   \
                                                 const std::array<std::size_t, 2> &);              \
  template std::vector<CoordinateBlock> blocksOf(const CSCMatrix<T> &, std::size_t, std::size_t,   \
                                                 const std::array<std::size_t, 2> &);
POPSPARSE_BLOCKS(float)
POPSPARSE_BLOCKS(double)

} // namespace popsparse
