// Softmax of rows: the workers of a tile share its rows.
#include "worker_part.hpp"

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popnn {

/// factor * exp(x - shift) / sum; as a logarithm x - shift - log(sum).
template <typename T> class Softmax : public MultiVertex {
public:
  InOut<Vector<T, VectorLayout::SPAN, 8>> rows;
  unsigned columns;
  bool stable; ///< the shift is the row's maximum, else 0
  bool logarithm;
  float factor;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(rows.size() / columns, worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(columns * sizeof(T)));
    for (unsigned row = part.begin; row < part.end; ++row)
      computeRow(&rows[row * columns]);
    return true;
  }

private:
  void computeRow(T *row) {
    float shift = stable ? static_cast<float>(row[0]) : 0.0f;
    for (unsigned i = 1; stable && i < columns; ++i)
      shift = std::fmax(shift, static_cast<float>(row[i]));
    float sum = 0;
    for (unsigned i = 0; i < columns; ++i)
      sum += std::exp(static_cast<float>(row[i]) - shift);
    const float scale = logarithm ? std::log(sum) : factor / sum;
    for (unsigned i = 0; i < columns; ++i) {
      const float x = static_cast<float>(row[i]) - shift;
      row[i] = static_cast<T>(logarithm ? x - scale : std::exp(x) * scale);
    }
  }
};
template class Softmax<float>;
template class Softmax<half>;

/// y * (g - sum of y * g)
template <typename T> class SoftmaxGradient : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> act;
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> outGradient;
  Output<Vector<T, VectorLayout::SPAN, 8>> inGradient;
  unsigned columns;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(inGradient.size() / columns, worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(columns * sizeof(T)));
    for (unsigned row = part.begin; row < part.end; ++row) {
      const unsigned begin = row * columns;
      float sum = 0;
      for (unsigned i = begin; i < begin + columns; ++i)
        sum += static_cast<float>(act[i]) * static_cast<float>(outGradient[i]);
      for (unsigned i = begin; i < begin + columns; ++i)
        inGradient[i] =
            static_cast<T>(static_cast<float>(act[i]) * (static_cast<float>(outGradient[i]) - sum));
    }
    return true;
  }
};
template class SoftmaxGradient<float>;
template class SoftmaxGradient<half>;

} // namespace popnn
