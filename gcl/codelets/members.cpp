// Vertices whose work depends on the member of a group that runs them.
#include "worker_part.hpp"

#include <poplar/Vertex.hpp>

namespace gcl {

/// Looks up this replica's entry in a table of all replicas.
class Position : public poplar::Vertex {
public:
  poplar::Input<unsigned> replica;
  poplar::Input<poplar::Vector<unsigned>> positions;
  poplar::Output<unsigned> position;

  bool compute() {
    *position = positions[*replica];
    return true;
  }
};

/// Swaps row i with row (position - i) mod count.
template <typename T> class ReorderRows : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::SPAN>> rows; ///< [count][columns]
  poplar::Input<unsigned> position;
  unsigned count;

  bool compute(unsigned worker) {
    const unsigned columns = rows.size() / count;
    const poplibs::WorkerPart part(columns, worker, numWorkers(),
                                   poplibs::columnsOfWholeWords(columns, sizeof(T)));
    const unsigned self = *position;
    for (unsigned i = 0; i < count; ++i) {
      const unsigned other = i <= self ? self - i : self + count - i;
      if (i < other)
        exchange(rows.data() + i * columns, rows.data() + other * columns, part);
    }
    return true;
  }

private:
  static void exchange(T *a, T *b, const poplibs::WorkerPart &part) {
    for (unsigned j = part.begin; j < part.end; ++j) {
      const T kept = a[j];
      a[j] = b[j];
      b[j] = kept;
    }
  }
};
template class ReorderRows<unsigned int>;
template class ReorderRows<unsigned short>;
template class ReorderRows<unsigned char>;

/// Sets elements to zero on all members but one.
template <typename T> class ZeroUnlessAt : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::SPAN>> elements;
  poplar::Input<unsigned> position;
  unsigned root;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(elements.size(), worker, numWorkers(), 8 / sizeof(T));
    T *const to = elements.data();
    if (*position != root)
      for (unsigned j = part.begin; j < part.end; ++j)
        to[j] = 0;
    return true;
  }
};
template class ZeroUnlessAt<unsigned int>;
template class ZeroUnlessAt<unsigned short>;
template class ZeroUnlessAt<unsigned char>;

} // namespace gcl
