#include <cmath>
#include <ipudef.h>
#include <poplar/HalfFloat.hpp>
#include <poplar/VectorTypes.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

class HalfAxpy : public Vertex {
public:
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> a;
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> b;
  Output<Vector<half, VectorLayout::SPAN, 8>> c;
  Output<float> norm;
  Input<half> scale;
  half bias;

  bool compute() {
    const half four(4);
    float sum = 0.0f;
    for (unsigned i = 0; i < c.size(); ++i) {
      half x = a[i] * *scale;
      x += b[i];
      x = x + bias;
      if (x > four && x != half(5.0f))
        x = half(x * 1.0f);
      c[i] = x;
      sum += static_cast<float>(x) * float(x);
    }
    *norm = std::sqrt(sum);
    return true;
  }
};
