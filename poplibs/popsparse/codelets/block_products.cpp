// A block of a product, of several pairs of blocks.
#include "worker_part.hpp"

#include <algorithm>
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popsparse {

/// The sum of a[p] b[p], each {rows, inner} times {inner, columns}. Workers share rows.
template <typename T> class BlockProducts : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::SPAN>> a;    ///< [pairs][rows][inner]
  Input<Vector<T, VectorLayout::ONE_PTR>> b; ///< [pairs][inner][columns]
  Output<Vector<float, VectorLayout::ONE_PTR>> out;
  unsigned rows, inner, columns;
  /// Elements (i, j) with i + diagonal < j, or > j, are 0: 1 and 2. 0: none are.
  unsigned mask;
  int diagonal;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(rows, worker, numWorkers(), 1);
    const unsigned pairs = inner == 0 ? 0 : a.size() / (rows * inner);
    for (unsigned i = part.begin; i < part.end; ++i) {
      float *const to = out.data() + i * columns;
      std::fill(to, to + columns, 0.0f);
      for (unsigned p = 0; p < pairs; ++p)
        for (unsigned k = 0; k < inner; ++k) {
          const float x = static_cast<float>(a[(p * rows + i) * inner + k]);
          const T *const from = b.data() + (p * inner + k) * columns;
          for (unsigned j = 0; j < columns; ++j)
            to[j] += x * static_cast<float>(from[j]);
        }
      for (unsigned j = 0; mask != 0 && j < columns; ++j) {
        const int row = static_cast<int>(i) + diagonal, column = static_cast<int>(j);
        if (mask == 1 ? row < column : row > column)
          to[j] = 0;
      }
    }
    return true;
  }
};
template class BlockProducts<float>;
template class BlockProducts<half>;

} // namespace popsparse
