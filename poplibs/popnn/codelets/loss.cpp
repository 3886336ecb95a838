// Losses of rows, and what is largest in them: the workers of a tile share its rows.
#include "worker_part.hpp"

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popnn {

constexpr unsigned kMasked = 0xFFFFFFFF;

/// The number that is added to a probability before taking its logarithm: the smallest that is not
/// 0.
template <typename T> constexpr float kEpsilon = 1.17549435e-38f;
template <> constexpr float kEpsilon<half> = 6.1e-05f;

template <typename T> class Loss : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> rows;
  Input<Vector<unsigned, VectorLayout::ONE_PTR>> labels;
  Input<T> deltasScale;
  Input<T> outputScaling;
  Output<Vector<T, VectorLayout::SPAN>> loss;
  Output<Vector<T, VectorLayout::ONE_PTR, 8>> deltas;
  unsigned columns;
  bool crossEntropy;

  bool compute(unsigned worker) {
    const unsigned ofDeltas = poplibs::rowsOfWholeWords(columns * sizeof(T));
    const unsigned ofLosses = poplibs::rowsOfWholeWords(sizeof(T));
    const poplibs::WorkerPart part(loss.size(), worker, numWorkers(),
                                   ofDeltas > ofLosses ? ofDeltas : ofLosses);
    for (unsigned row = part.begin; row < part.end; ++row)
      loss[row] =
          static_cast<T>(computeRow(&rows[row * columns], labels[row], &deltas[row * columns]));
    return true;
  }

private:
  float computeRow(const T *p, unsigned label, T *delta) const {
    if (label == kMasked) {
      for (unsigned i = 0; i < columns; ++i)
        delta[i] = static_cast<T>(0.0f);
      return 0;
    }
    const float s = static_cast<float>(*outputScaling);
    const float factor = crossEntropy ? static_cast<float>(*deltasScale) / s : 1.0f;
    float squares = 0;
    for (unsigned i = 0; i < columns; ++i) {
      const float difference = static_cast<float>(p[i]) - (i == label ? s : 0.0f);
      squares += difference * difference;
      delta[i] = static_cast<T>(factor * difference);
    }
    if (!crossEntropy)
      return 0.5f * squares;
    return label < columns ? std::log(s) - std::log(static_cast<float>(p[label]) + kEpsilon<T>)
                           : 0.0f;
  }
};
template class Loss<float>;
template class Loss<half>;

template <typename T> inline bool isBefore(T a, T b, bool largest) {
  return largest ? a > b : a < b;
}

/// The first of the extremes of each row, and where it stands.
template <typename T> class Extremes : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> rows;
  Output<Vector<T, VectorLayout::ONE_PTR>> values;
  Output<Vector<unsigned, VectorLayout::SPAN>> indices;
  unsigned columns;
  bool largest;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(indices.size(), worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(sizeof(T)));
    for (unsigned row = part.begin; row < part.end; ++row) {
      const T *const x = &rows[row * columns];
      unsigned best = 0;
      for (unsigned i = 1; i < columns; ++i)
        if (isBefore(x[i], x[best], largest))
          best = i;
      values[row] = x[best];
      indices[row] = best;
    }
    return true;
  }
};
template class Extremes<float>;
template class Extremes<half>;
template class Extremes<int>;
template class Extremes<unsigned>;

/// The largest of each row, in descending order.
template <typename T> class Largest : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> rows;
  Output<Vector<T, VectorLayout::ONE_PTR>> values;
  Output<Vector<unsigned, VectorLayout::SPAN>> indices;
  unsigned columns;
  unsigned count; ///< elements of each row

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(indices.size() / count, worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(count * sizeof(T)));
    for (unsigned row = part.begin; row < part.end; ++row) {
      const T *const x = &rows[row * columns];
      T *const value = &values[row * count];
      unsigned *const index = &indices[row * count];
      unsigned found = 0;
      for (unsigned i = 0; i < columns; ++i) {
        unsigned at = found < count ? found++ : count - 1;
        if (at == count - 1 && i >= count && !(x[i] > value[at]))
          continue;
        for (; at > 0 && x[i] > value[at - 1]; --at) {
          value[at] = value[at - 1];
          index[at] = index[at - 1];
        }
        value[at] = x[i];
        index[at] = i;
      }
    }
    return true;
  }
};
template class Largest<float>;
template class Largest<half>;
template class Largest<int>;
template class Largest<unsigned>;

/// How many labels are where the row is largest.
class CountCorrect : public Vertex {
public:
  Input<Vector<unsigned, VectorLayout::SPAN>> indices;
  Input<Vector<unsigned, VectorLayout::ONE_PTR>> labels;
  Output<unsigned> correct;

  bool compute() {
    unsigned n = 0;
    for (unsigned i = 0; i < indices.size(); ++i)
      n += indices[i] == labels[i];
    *correct = n;
    return true;
  }
};

class AddCounts : public Vertex {
public:
  Input<Vector<unsigned>> counts;
  InOut<unsigned> sum;

  bool compute() {
    for (unsigned i = 0; i < counts.size(); ++i)
      *sum += counts[i];
    return true;
  }
};

} // namespace popnn
