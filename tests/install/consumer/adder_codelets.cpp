#include <poplar/Vertex.hpp>

// out = a + b, element by element.
class Adder : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> a, b;
  poplar::Output<poplar::Vector<float>> out;

  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = a[i] + b[i];
    return true;
  }
};
