#include <numeric>
#include <poplar/Vertex.hpp>

using namespace poplar;
static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR;
static constexpr auto SPAN = poplar::VectorLayout::SPAN;

class SumRows : public Vertex {
public:
  Vector<Input<Vector<float>>> rows;
  Output<Vector<float, ONE_PTR>> sums;

  bool compute() {
    for (unsigned r = 0; r < rows.size(); ++r) {
      const auto &row = rows[r];
      sums[r] = std::accumulate(row.begin(), row.end(), 0.0f);
    }
    return true;
  }
};

class WeightedRows : public Vertex {
public:
  Vector<Input<Vector<float, SPAN, 4>>, SPAN> rows;
  Vector<Output<float>> sums;
  Vector<unsigned> weights;

  bool compute() {
    for (unsigned r = 0; r < rows.size(); ++r) {
      float sum = 0;
      for (unsigned c = 0; c < rows[r].size(); ++c)
        sum += rows[r][c];
      *sums[r] = sum * weights[r];
    }
    return true;
  }
};
