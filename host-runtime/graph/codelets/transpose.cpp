// Vertices by which PopLibs transposes matrices, and which later SDKs have in Poplar itself:
// poplar_rt::Transpose1D and related types. A matrix is stored row by row.
#include <poplar/Vertex.hpp>

namespace poplar_rt {

/// The block size in which rows and columns are counted: 4 elements, or 8 one-byte elements.
template <typename T> constexpr unsigned kBlock = sizeof(T) == 1 ? 8 : 4;

/// Computes to[column][row] = from[row][column] for a part of a matrix.
/// \param inRow   distance of rows in \p from [elements]
/// \param outRow  distance of rows in \p to [elements]
template <typename T>
inline void transpose(const T *from, T *to, unsigned rows, unsigned columns, unsigned inRow,
                      unsigned outRow) {
  for (unsigned column = 0; column < columns; ++column)
    for (unsigned row = 0; row < rows; ++row)
      to[column * outRow + row] = from[row * inRow + column];
}

template <typename T>
inline void transposeAll(const T *from, T *to, unsigned matrices, unsigned rows, unsigned columns) {
  for (unsigned matrix = 0; matrix < matrices; ++matrix)
    transpose(from + matrix * rows * columns, to + matrix * rows * columns, rows, columns, columns,
              rows);
}

template <typename T> using In = poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR, 8>>;
template <typename T>
using Out = poplar::Output<poplar::Vector<T, poplar::VectorLayout::ONE_PTR, 8>>;

/// Transposes consecutive matrices: workerCount workers do numTranspositions of them each, the
/// other workers one less.
template <typename T> class Transpose1D : public poplar::MultiVertex {
public:
  In<T> src;
  Out<T> dst;
  unsigned short numSrcColumnsD4Or8, numSrcRowsD4Or8, numTranspositions, workerCount;

  bool compute(unsigned worker) {
    const unsigned rows = numSrcRowsD4Or8 * kBlock<T>, columns = numSrcColumnsD4Or8 * kBlock<T>;
    const bool has1More = worker < workerCount;
    const unsigned first = worker * numTranspositions - (has1More ? 0 : worker - workerCount);
    transposeAll(&src[first * rows * columns], &dst[first * rows * columns],
                 numTranspositions - (has1More ? 0 : 1), rows, columns);
    return true;
  }
};

/// Transposes consecutive matrices on one worker.
template <typename T> class Transpose1DSingleWorker : public poplar::Vertex {
public:
  In<T> src;
  Out<T> dst;
  unsigned short numSrcColumnsD4Or8, numSrcRowsD4Or8, numTranspositionsM1;

  bool compute() {
    transposeAll(&src[0], &dst[0], numTranspositionsM1 + 1, numSrcRowsD4Or8 * kBlock<T>,
                 numSrcColumnsD4Or8 * kBlock<T>);
    return true;
  }
};

/// Transposes a few matrices, of which each worker does a part.
template <typename T> class SplitTranspose1D : public poplar::MultiVertex {
public:
  In<T> src;
  Out<T> dst;
  unsigned short numSrcColumnsD4Or8, numSrcRowsD4Or8;
  /// For each worker with work, in blocks: the start of its part in src and in dst, its rows and
  /// its columns.
  poplar::Input<poplar::Vector<unsigned short>> workList;

  bool compute(unsigned worker) {
    constexpr unsigned kEntry = 4;
    if ((worker + 1) * kEntry > workList.size())
      return true;
    const unsigned short *const part = &workList[worker * kEntry];
    transpose(&src[part[0] * kBlock<T>], &dst[part[1] * kBlock<T>], part[2] * kBlock<T>,
              part[3] * kBlock<T>, numSrcColumnsD4Or8 * kBlock<T>, numSrcRowsD4Or8 * kBlock<T>);
    return true;
  }
};

/// Transposes matrices of any sizes in separate vectors.
template <typename T> class Transpose2D : public poplar::Vertex {
public:
  poplar::Vector<In<T>> src;
  poplar::Vector<Out<T>> dst;
  unsigned short numSrcColumns, numSrcRows;

  bool compute() {
    for (unsigned matrix = 0; matrix < src.size(); ++matrix)
      transpose(&src[matrix][0], &dst[matrix][0], numSrcRows, numSrcColumns, numSrcColumns,
                numSrcRows);
    return true;
  }
};

#define OF_BLOCKS(T)                                                                               \
  template class Transpose1D<T>;                                                                   \
  template class Transpose1DSingleWorker<T>;                                                       \
  template class SplitTranspose1D<T>;                                                              \
  template class Transpose2D<T>;
OF_BLOCKS(unsigned char)
OF_BLOCKS(unsigned short)
OF_BLOCKS(short)
OF_BLOCKS(half)
template class Transpose2D<float>;
template class Transpose2D<unsigned int>;
template class Transpose2D<int>;

} // namespace poplar_rt
