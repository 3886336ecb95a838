// Forward substitution: each worker solves for some columns of one block.
#include "worker_part.hpp"

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace poplin {

/// Solves A x = b for each of a tile's columns b, which x replaces. A is lower triangular.
template <typename T> class SolveLowerTriangle : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> a; ///< [rows][rows]
  InOut<Vector<T, VectorLayout::SPAN>> x;    ///< [columns][rows]
  unsigned rows;
  bool unitDiagonal;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(x.size() / rows, worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(rows * sizeof(T)));
    for (unsigned column = part.begin; column < part.end; ++column)
      solve(x.data() + std::size_t(column) * rows);
    return true;
  }

private:
  void solve(T *column) const {
    for (unsigned i = 0; i < rows; ++i) {
      const T *const row = a.data() + std::size_t(i) * rows;
      float rest = static_cast<float>(column[i]);
      for (unsigned j = 0; j < i; ++j)
        rest -= static_cast<float>(row[j]) * static_cast<float>(column[j]);
      column[i] = static_cast<T>(unitDiagonal ? rest : rest / static_cast<float>(row[i]));
    }
  }
};
template class SolveLowerTriangle<float>;
template class SolveLowerTriangle<half>;

} // namespace poplin
