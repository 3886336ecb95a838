#include <poplar/Vertex.hpp>
#include <shared_math.hpp>

namespace lib {
struct Scale : poplar::Vertex {
  poplar::InOut<poplar::Vector<float>> data;
  void compute() {
    for (auto &x : data)
      x = scaled(x, SCALE);
  }
};
} // namespace lib
