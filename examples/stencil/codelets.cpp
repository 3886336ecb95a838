#include <poplar/Vertex.hpp>

using namespace poplar;

/// One row of the next step, from the row and its neighbours; the row's ends touch each other.
class DiffuseRow : public Vertex {
public:
  Input<Vector<float>> above, row, below;
  Output<Vector<float>> next;
  float rate;

  bool compute() {
    const unsigned columns = row.size();
    for (unsigned c = 0; c < columns; ++c) {
      const float left = row[c == 0 ? columns - 1 : c - 1];
      const float right = row[c + 1 == columns ? 0 : c + 1];
      next[c] = row[c] + rate * (left + right + above[c] + below[c] - 4.0f * row[c]);
    }
    return true;
  }
};
