// Vertices of one bucket of non-zero blocks. Its meta information is {blocks, 0, row, column, ...},
// rows and columns in blocks; its values are the blocks' values, row-major.
#include "worker_part.hpp"

#include <algorithm>
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popsparse {

/// out = W dense, or W^T dense, of some columns: workers share these.
template <typename T> class SparseProduct : public MultiVertex {
public:
  Input<Vector<unsigned short, VectorLayout::SPAN>> meta;
  Input<Vector<T, VectorLayout::ONE_PTR>> values;
  Input<Vector<T, VectorLayout::ONE_PTR>> dense; ///< [rows][columns]
  Output<Vector<float, VectorLayout::SPAN>> out; ///< [rows][columns]
  unsigned columns, blockRows, blockColumns;
  bool transposed;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(columns, worker, numWorkers(), 1);
    const unsigned rows = out.size() / columns;
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned c = part.begin; c < part.end; ++c)
        out[row * columns + c] = 0;
    const T *value = values.data();
    for (unsigned k = 0; k < meta[0]; ++k) {
      const unsigned row = meta[2 + 2 * k] * blockRows, column = meta[3 + 2 * k] * blockColumns;
      for (unsigned i = row; i < row + blockRows; ++i)
        for (unsigned j = column; j < column + blockColumns; ++j) {
          const float w = static_cast<float>(*value++);
          float *const to = out.data() + (transposed ? j : i) * columns;
          const T *const from = dense.data() + (transposed ? i : j) * columns;
          for (unsigned c = part.begin; c < part.end; ++c)
            to[c] += w * static_cast<float>(from[c]);
        }
    }
    return true;
  }
};
template class SparseProduct<float>;
template class SparseProduct<half>;

/// The gradient of each value: products of a row of \p byRow and one of \p byColumn. Workers share
/// blocks.
template <typename T> class SparseGradient : public MultiVertex {
public:
  Input<Vector<unsigned short, VectorLayout::SPAN>> meta;
  Input<Vector<T, VectorLayout::ONE_PTR>> byRow, byColumn; ///< [rows of W], [columns of W][columns]
  Output<Vector<float, VectorLayout::SPAN>> out;           ///< as the values
  unsigned columns, blockRows, blockColumns;

  bool compute(unsigned worker) {
    const unsigned size = blockRows * blockColumns;
    const poplibs::WorkerPart part(out.size() / size, worker, numWorkers(), 1);
    for (unsigned k = part.begin; k < part.end; ++k) {
      float *to = out.data() + k * size;
      if (k >= meta[0]) {
        std::fill(to, to + size, 0.0f);
        continue;
      }
      const unsigned row = meta[2 + 2 * k] * blockRows, column = meta[3 + 2 * k] * blockColumns;
      for (unsigned i = row; i < row + blockRows; ++i)
        for (unsigned j = column; j < column + blockColumns; ++j) {
          const T *const a = byRow.data() + i * columns, *const b = byColumn.data() + j * columns;
          float sum = 0;
          for (unsigned c = 0; c < columns; ++c)
            sum += static_cast<float>(a[c]) * static_cast<float>(b[c]);
          *to++ = sum;
        }
    }
    return true;
  }
};
template class SparseGradient<float>;
template class SparseGradient<half>;

/// Gives the bucket's part of rows that are looked up, with zeros elsewhere. Workers share
/// look-ups.
template <typename T> class SparseLookup : public MultiVertex {
public:
  Input<Vector<unsigned short, VectorLayout::SPAN>> meta;
  Input<Vector<T, VectorLayout::ONE_PTR>> values;
  Input<Vector<unsigned, VectorLayout::SPAN>> indices;
  Output<Vector<T, VectorLayout::ONE_PTR>> out; ///< [lookups][columns of W]
  unsigned columns, blockRows, blockColumns;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(indices.size(), worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(columns * sizeof(T)));
    for (unsigned l = part.begin; l < part.end; ++l) {
      T *const to = out.data() + l * columns;
      std::fill(to, to + columns, static_cast<T>(0.0f));
      for (unsigned k = 0; k < meta[0]; ++k) {
        const unsigned row = meta[2 + 2 * k] * blockRows;
        if (indices[l] - row >= blockRows) // also if it is before
          continue;
        const T *const from = values.data() + (k * blockRows + indices[l] - row) * blockColumns;
        std::copy(from, from + blockColumns, to + meta[3 + 2 * k] * blockColumns);
      }
    }
    return true;
  }
};
template class SparseLookup<float>;
template class SparseLookup<half>;

/// For each value, the sum of what \p slices have for it. Workers share blocks.
template <typename T> class SparseLookupGradient : public MultiVertex {
public:
  Input<Vector<unsigned short, VectorLayout::SPAN>> meta;
  Input<Vector<T, VectorLayout::ONE_PTR>> slices; ///< [lookups][columns of W]
  Input<Vector<unsigned, VectorLayout::SPAN>> indices;
  Output<Vector<float, VectorLayout::SPAN>> out; ///< as the values
  unsigned columns, blockRows, blockColumns;

  bool compute(unsigned worker) {
    const unsigned size = blockRows * blockColumns;
    const poplibs::WorkerPart part(out.size() / size, worker, numWorkers(), 1);
    for (unsigned k = part.begin; k < part.end; ++k) {
      float *const to = out.data() + k * size;
      std::fill(to, to + size, 0.0f);
      if (k >= meta[0])
        continue;
      const unsigned row = meta[2 + 2 * k] * blockRows, column = meta[3 + 2 * k] * blockColumns;
      for (unsigned l = 0; l < indices.size(); ++l)
        if (indices[l] - row < blockRows)
          for (unsigned j = 0; j < blockColumns; ++j)
            to[(indices[l] - row) * blockColumns + j] +=
                static_cast<float>(slices[l * columns + column + j]);
    }
    return true;
  }
};
template class SparseLookupGradient<float>;
template class SparseLookupGradient<half>;

} // namespace popsparse
