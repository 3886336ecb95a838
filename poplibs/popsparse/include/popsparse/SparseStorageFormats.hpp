#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

// Sparse matrices on the host, whose non-zero parts are blocks; a block of {1, 1} is an element. Values
// within a block are row-major. Indices count elements: a block's row and column are those of its first
// element, and starts of rows or columns are positions in nzValues.
namespace popsparse {

class Block {
public:
  std::size_t getNumRowsInBlock() const { return blockDimensions[0]; }
  std::size_t getNumColumnsInBlock() const { return blockDimensions[1]; }
  std::size_t getBlockSize() const { return blockDimensions[0] * blockDimensions[1]; }
  std::array<std::size_t, 2> getBlockDimensions() const { return blockDimensions; }

protected:
  explicit Block(std::array<std::size_t, 2> block) : blockDimensions(block) {}
  std::array<std::size_t, 2> blockDimensions;
};

/// A row and a column for each block.
template <typename T> struct COOMatrix : Block {
  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices, rowIndices;

  COOMatrix(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2> &block = {{1, 1}})
      : Block(block), nzValues(std::move(values)), columnIndices(std::move(columns)),
        rowIndices(std::move(rows)) {}
  /// \param numNZ  values
  COOMatrix(std::size_t numNZ, const std::array<std::size_t, 2> &block = {{1, 1}})
      : Block(block), nzValues(numNZ), columnIndices(numNZ / getBlockSize()),
        rowIndices(numNZ / getBlockSize()) {}
  COOMatrix(const std::array<std::size_t, 2> &block = {{1, 1}}) : Block(block) {}
};

/// The start of each row of blocks, and the end of the last; a column for each block.
template <typename T> struct CSRMatrix : Block {
  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices, rowIndices;

  CSRMatrix(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2> &block = {{1, 1}})
      : Block(block), nzValues(std::move(values)), columnIndices(std::move(columns)),
        rowIndices(std::move(rows)) {}
  CSRMatrix(std::size_t numNZ, std::size_t numRows,
            const std::array<std::size_t, 2> &block = {{1, 1}})
      : Block(block), nzValues(numNZ), columnIndices(numNZ / getBlockSize()),
        rowIndices(numRows / getNumRowsInBlock() + 1) {}
  CSRMatrix(const std::array<std::size_t, 2> &block = {{1, 1}}) : Block(block) {}
};

/// The start of each column of blocks, and the end of the last; a row for each block.
template <typename T> struct CSCMatrix : Block {
  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices, rowIndices;

  CSCMatrix(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2> &block = {{1, 1}})
      : Block(block), nzValues(std::move(values)), columnIndices(std::move(columns)),
        rowIndices(std::move(rows)) {}
  CSCMatrix(std::size_t numNZ, std::size_t numColumns,
            const std::array<std::size_t, 2> &block = {{1, 1}})
      : Block(block), nzValues(numNZ), columnIndices(numColumns / getNumColumnsInBlock() + 1),
        rowIndices(numNZ / getBlockSize()) {}
  CSCMatrix(const std::array<std::size_t, 2> &block = {{1, 1}}) : Block(block) {}
};

} // namespace popsparse
