// Vertices that write one value to all elements.
#include "worker_part.hpp"

#include <poplar/Vertex.hpp>

namespace popops {

/// All workers of a tile share the elements.
template <typename T> class Fill : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  T value;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(out.size(), worker, numWorkers(), 8 / sizeof(T));
    T *const to = out.data();
    const T with = value;
    for (unsigned i = part.begin; i < part.end; ++i)
      to[i] = with;
    return true;
  }
};

template class Fill<float>;
template class Fill<half>;
template class Fill<int>;
template class Fill<unsigned int>;
template class Fill<short>;
template class Fill<unsigned short>;
template class Fill<bool>;
template class Fill<char>;
template class Fill<signed char>;
template class Fill<unsigned char>;

} // namespace popops
