#include <poplar/Vertex.hpp>

using namespace poplar;

/// out = factor * in + offset, for one tile's part of a variable.
class Scale : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  Input<float> factor;
  float offset;

  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i < in.size(); ++i) {
      const float scaled = in[i] * *factor;
      out[i] = scaled + offset;
      sum += scaled;
    }
    return sum != 0;
  }
};

/// Fields of other kinds: rows, and templates.
template <typename T> class SumOfRows : public MultiVertex {
public:
  Vector<Input<Vector<T>>> rows;
  InOut<VectorList<T, VectorListLayout::DELTANELEMENTS>> more;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;

  bool compute(unsigned worker) {
    for (unsigned r = worker; r < rows.size(); r += numWorkers()) {
      T sum = more[r][0];
      for (unsigned i = 0; i < rows[r].size(); ++i)
        sum += rows[r][i];
      out[r] = sum;
    }
    return true;
  }
};
template class SumOfRows<float>;
template class SumOfRows<half>;
