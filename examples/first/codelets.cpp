#include <poplar/Vertex.hpp>

/// Squares each element of `in`; `out` has as many.
class Square : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;

  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = in[i] * in[i];
    return true;
  }
};
