#include <poplar/Vertex.hpp>

using namespace poplar;

class HeatRow : public Vertex {
public:
  Input<Vector<float>> above;
  Input<Vector<float>> row;
  Input<Vector<float>> below;
  Output<Vector<float>> result;
  float alpha;

  bool compute() {
    for (std::size_t i = 0; i < result.size(); ++i) {
      const float x = row[i + 1];
      result[i] = x + alpha * (row[i] + row[i + 2] + above[i] + below[i] - 4 * x);
    }
    return true;
  }
};
