// The vertex of popops::rearrange::partialTranspose().
#include "worker_part.hpp"

#include <poplar/Vertex.hpp>

namespace popops {

/// out[column][row] = in[row][column], for elements of a size. The workers share the columns.
template <typename Bits> class TransposeMatrix : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<Bits, poplar::VectorLayout::ONE_PTR, 4>> in;
  poplar::Output<poplar::Vector<Bits, poplar::VectorLayout::ONE_PTR, 4>> out;
  unsigned rows, columns;

  bool compute(unsigned worker) {
    // Whole words for each worker, whatever the number of rows.
    const poplibs::WorkerPart part(columns, worker, numWorkers(), 4 / sizeof(Bits));
    for (unsigned column = part.begin; column < part.end; ++column)
      for (unsigned row = 0; row < rows; ++row)
        out[column * rows + row] = in[row * columns + column];
    return true;
  }
};
template class TransposeMatrix<unsigned char>;
template class TransposeMatrix<unsigned short>;
template class TransposeMatrix<unsigned int>;

} // namespace popops
