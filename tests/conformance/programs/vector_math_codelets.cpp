#include <cmath>
#include <ipu_intrinsics>
#include <ipu_memory_intrinsics>
#include <ipu_vector_math>
#include <ipudef.h>
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
#include <print.h>

using namespace poplar;

#ifdef __IPU__
#define ALWAYS_INLINE __attribute__((always_inline))
#else
#define ALWAYS_INLINE
#endif

ALWAYS_INLINE inline float2 kernel(float2 x) {
  const float2 one = {1.0f, 1.0f};
  return ipu::rsqrt(ipu::fabs(x) + one) + ipu::exp(-x * x);
}

class [[poplar::constraint("elem(*a)!=elem(*b)")]] Pairs : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> a;
  Output<Vector<float, VectorLayout::ONE_PTR, 8, true>> b;
  unsigned short n;

  bool compute() {
    const float2 *from = reinterpret_cast<const float2 *>(&a[0]);
    float2 *to = reinterpret_cast<float2 *>(&b[0]);
    for (unsigned i = 0; i < n / 2u; ++i)
      ipu::store_postinc(&to, kernel(ipu::load_postinc(&from, 1)), 1);
    return true;
  }
};

class PairsByWorker : public MultiVertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> a;
  Output<Vector<float, VectorLayout::SPAN, 8>> b;
  unsigned n;

  bool compute(unsigned wid) {
    auto from = reinterpret_cast<const float2 *>(a.data()) + wid;
    auto to = reinterpret_cast<float2 *>(b.data()) + wid;
    for (auto i = wid; i < n / 2; i += numWorkers()) {
      const float2 x = ipu::load_postinc(&from, static_cast<int>(numWorkers()));
      to[0] = kernel(x);
      to += numWorkers();
      if (!(std::isfinite(x[0]) && x[1] < 1e30f))
        printf("worker %u: a strange value %f\n", wid, x[0]);
    }
    return true;
  }
};
