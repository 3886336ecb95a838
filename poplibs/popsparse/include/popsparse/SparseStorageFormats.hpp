#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

/// \file
/// Sparse matrices on the host, whose non-zero parts are blocks; a block of [1, 1] is an element.
/// Values within a block are row-major. Indices count elements: a block's row and column are its
/// first element's, and starts of rows or columns are positions in nzValues.

namespace popsparse {

/// Holds the sizes of a block.
class Block {
public:
  ///@{

  /// Returns a size of a block: rows, columns, elements or both sides.
  std::size_t getNumRowsInBlock() const { return blockDimensions[0]; }
  std::size_t getNumColumnsInBlock() const { return blockDimensions[1]; }
  std::size_t getBlockSize() const { return blockDimensions[0] * blockDimensions[1]; }
  std::array<std::size_t, 2> getBlockDimensions() const { return blockDimensions; }
  ///@}

protected:
  /// Sets the rows and columns.
  explicit Block(std::array<std::size_t, 2> block) : blockDimensions(block) {}
  /// The rows and columns.
  std::array<std::size_t, 2> blockDimensions;
};

/// Holds a sparse matrix with a row and a column for each block.
template <typename T> struct COOMatrix : Block {
  /// The values of all blocks.
  std::vector<T> nzValues;

  ///@{

  /// A column and a row for each block.
  std::vector<std::size_t> columnIndices, rowIndices;
  ///@}

  /// Takes values and indices.
  COOMatrix(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2> &block = {{1, 1}})
      : Block(block), nzValues(std::move(values)), columnIndices(std::move(columns)),
        rowIndices(std::move(rows)) {}
  /// Makes room for \p numNZ values.
  COOMatrix(std::size_t numNZ, const std::array<std::size_t, 2> &block = {{1, 1}})
      : Block(block), nzValues(numNZ), columnIndices(numNZ / getBlockSize()),
        rowIndices(numNZ / getBlockSize()) {}
  /// Makes a matrix without values.
  COOMatrix(const std::array<std::size_t, 2> &block = {{1, 1}}) : Block(block) {}
};

/// Holds a sparse matrix by rows: the start of each row of blocks, and the end of the last; a
/// column for each block.
template <typename T> struct CSRMatrix : Block {
  /// The values of all blocks.
  std::vector<T> nzValues;

  ///@{

  /// A column for each block; the start of each row of blocks, and the end of the last.
  std::vector<std::size_t> columnIndices, rowIndices;
  ///@}

  /// Takes values and indices.
  CSRMatrix(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2> &block = {{1, 1}})
      : Block(block), nzValues(std::move(values)), columnIndices(std::move(columns)),
        rowIndices(std::move(rows)) {}
  /// Makes room for \p numNZ values.
  CSRMatrix(std::size_t numNZ, std::size_t numRows,
            const std::array<std::size_t, 2> &block = {{1, 1}})
      : Block(block), nzValues(numNZ), columnIndices(numNZ / getBlockSize()),
        rowIndices(numRows / getNumRowsInBlock() + 1) {}
  /// Makes a matrix without values.
  CSRMatrix(const std::array<std::size_t, 2> &block = {{1, 1}}) : Block(block) {}
};

/// Holds a sparse matrix by columns: the start of each column of blocks, and the end of the last; a
/// row for each block.
template <typename T> struct CSCMatrix : Block {
  /// The values of all blocks.
  std::vector<T> nzValues;

  ///@{

  /// The start of each column of blocks, and the end of the last; a row for each block.
  std::vector<std::size_t> columnIndices, rowIndices;
  ///@}

  /// Takes values and indices.
  CSCMatrix(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2> &block = {{1, 1}})
      : Block(block), nzValues(std::move(values)), columnIndices(std::move(columns)),
        rowIndices(std::move(rows)) {}
  /// Makes room for \p numNZ values.
  CSCMatrix(std::size_t numNZ, std::size_t numColumns,
            const std::array<std::size_t, 2> &block = {{1, 1}})
      : Block(block), nzValues(numNZ), columnIndices(numColumns / getNumColumnsInBlock() + 1),
        rowIndices(numNZ / getBlockSize()) {}
  /// Makes a matrix without values.
  CSCMatrix(const std::array<std::size_t, 2> &block = {{1, 1}}) : Block(block) {}
};

} // namespace popsparse
