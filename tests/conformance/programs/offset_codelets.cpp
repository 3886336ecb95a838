#include "lib/shared_math.hpp"

#include <poplar/Vertex.hpp>

namespace lib {
class Offset : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float, poplar::VectorLayout::SPAN, 8>> data;
  const unsigned by;
  Offset();
  bool compute() {
    for (unsigned i = 0; i < data->size(); ++i)
      data[i] += scaled(1.0f, float(by));
    return true;
  }
};
} // namespace lib
