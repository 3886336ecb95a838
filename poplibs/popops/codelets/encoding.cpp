// Vertices of popops/Encoding.hpp, and those that pick one scalar of each row.
#include "worker_part.hpp"

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

namespace popops {

constexpr unsigned kMasked = 0xFFFFFFFFu;

template <typename T> class Iota : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  T start;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(out.size(), worker, numWorkers(), 2);
    for (unsigned i = part.begin; i < part.end; ++i)
      out[i] = static_cast<T>(static_cast<unsigned>(start) + i);
    return true;
  }
};
template class Iota<int>;
template class Iota<unsigned int>;

/// Elements of rows of \p columns, from column \p start of the first row on.
template <typename T> class EncodeOneHot : public poplar::MultiVertex {
public:
  /// Indices of the rows.
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> indices;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  poplar::Input<T> on, off;
  unsigned start, columns;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(out.size(), worker, numWorkers(), 8 / sizeof(T));
    const T one = *on, none = *off;
    unsigned row = (start + part.begin) / columns, column = (start + part.begin) % columns;
    for (unsigned i = part.begin; i < part.end; ++i) {
      out[i] = indices[row] == column ? one : none;
      if (++column == columns) {
        column = 0;
        ++row;
      }
    }
    return true;
  }
};
template class EncodeOneHot<float>;
template class EncodeOneHot<half>;
template class EncodeOneHot<int>;
template class EncodeOneHot<unsigned int>;

template <typename T> class SelectFromRows : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> params;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> indices;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> out;
  unsigned columns;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(indices.size(), worker, numWorkers(), 8 / sizeof(T));
    for (unsigned i = part.begin; i < part.end; ++i)
      out[i] = indices[i] == kMasked   ? T(0)
               : indices[i] >= columns ? std::numeric_limits<T>::quiet_NaN()
                                       : params[i * columns + indices[i]];
    return true;
  }
};
template class SelectFromRows<float>;
template class SelectFromRows<half>;

/// Subtracts 1 from the element that a row's index names.
template <typename T> class UpdateInRows : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> params;
  poplar::Input<poplar::Vector<unsigned, poplar::VectorLayout::SPAN>> indices;
  unsigned columns;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(indices.size(), worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(columns * sizeof(T)));
    for (unsigned i = part.begin; i < part.end; ++i) {
      T *const row = params.data() + i * columns;
      if (indices[i] == kMasked)
        continue;
      if (indices[i] < columns)
        row[indices[i]] = static_cast<T>(static_cast<float>(row[indices[i]]) - 1.0f);
      else
        for (unsigned c = 0; c < columns; ++c)
          row[c] = std::numeric_limits<T>::quiet_NaN();
    }
    return true;
  }
};
template class UpdateInRows<float>;
template class UpdateInRows<half>;

} // namespace popops
