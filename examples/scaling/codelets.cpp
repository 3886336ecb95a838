#include <poplar/Vertex.hpp>

using namespace poplar;

/// Stands for a step's computation: how long it takes is what its performance estimate says. A
/// MultiVertex, because its estimate counts cycles of the tile's clock.
class Work : public MultiVertex {
public:
  InOut<float> x;
  bool compute(unsigned worker) {
    if (worker == 0)
      *x = *x * 0.5f + 1.0f;
    return true;
  }
};

class AddTo : public Vertex {
public:
  InOut<Vector<float>> sum;
  Input<Vector<float>> part;
  bool compute() {
    for (unsigned i = 0; i < sum.size(); ++i)
      sum[i] += part[i];
    return true;
  }
};
