#include "layouts.hpp"

#include <cmath>
#include <cstdint>
#include <ipu_builtins.h>
#include <ipu_memory_intrinsics>
#include <ipu_vector_math>
#include <ipudef.h>
#include <poplar/VectorTypes.hpp>
using namespace poplar;
class VecStyle : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> a;
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> h;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> c;
  Output<Vector<half, VectorLayout::ONE_PTR, 8>> d;
  unsigned n;
  bool compute() {
    const float2 *pa = reinterpret_cast<const float2 *>(&a[0]);
    float2 *pc = reinterpret_cast<float2 *>(&c[0]);
    const half4 *ph = reinterpret_cast<const half4 *>(&h[0]);
    half4 *pd = reinterpret_cast<half4 *>(&d[0]);
    float2 acc = {0.0f, 0.0f};
    half4 hacc = {0, 0, 0, 0};
    const float2 two = {2.0f, 2.0f};
    for (unsigned i = 0; i < n / 2; ++i) {
      float2 v = ipu::load_postinc(&pa, 1);
      v = v * v + acc;
      v += two;
      v = ipu::fmax(v, acc);
      ipu::store_postinc(&pc, v, 1);
      acc = acc * 2.0f;
    }
    for (unsigned i = 0; i < n / 4; ++i) {
      half4 v = ipu::load_postinc(&ph, 1);
      v = ipu::exp(v) + hacc;
      ipu::store_postinc(&pd, v, 1);
      half2 lo = {v[0], v[1]};
      half2 hi = (half2){v[2], v[3]};
      lo = lo * hi;
      float2 f = __builtin_convertvector(lo, float2);
      half2 back = __builtin_convertvector(f, half2);
      c[0] += f[0] + float(back[1]);
      hacc = hacc + (half)2.0f;
      half s = v[0] + v[1];
      d[0] = s;
      d[1] = ipu::sqrt(s);
      float4 wide = __builtin_convertvector(v, float4);
      c[1] = ipu::sum(wide);
    }
    short2 s2 = {1, 2};
    int2 i2 = {1, 2};
    uint4 u4 = {1, 2, 3, 4};
    char4 c4 = {1, 2, 3, 4};
    ushort4 us = {0};
    long2 l2 = {1, 2};
    longlong2 ll = {1, 2};
    i2 = i2 < 2;
    l2 = l2 + 1;
    u4 = u4 << 2;
    c4 ^= c4;
    us = us + us;
    s2 = -s2;
    (void)ll;
    int2 mask = acc == two;
    float2 sel = mask ? acc : two;
    c[2] = sel[0];
    constexpr half hc = 1.5f;
    static constexpr half arr[2] = {1.0f, half(2)};
    d[2] = hc + arr[1];
    half z = n > 3 ? hc : 0.0f;
    d[3] = z;
    d[2] = n ? d[1] : 0;
    float q = n ? d[1] : 1.0f;
    c[3] = q;
    if (d[0])
      d[0] = !d[1];
    half m1 = -d[0];
    m1++;
    --m1;
    double dd = m1;
    int ii = m1;
    unsigned uu = (unsigned)m1;
    d[0] = ii + uu + dd;
    d[1] = std::sqrt(m1);
    d[2] = std::abs(m1);
    d[0] = std::max(d[1], d[2]);
    d[1] = std::exp(d[0]) * 2;
    d[2] = std::isnan((float)d[0]);
    union {
      half hh[2];
      uint32_t w;
    } u;
    u.w = 5;
    d[0] = u.hh[0];
    return true;
  }
};
template <typename T> void fillHead(T *p, T v) { *p = v; }
class Overl : public Vertex {
public:
  Output<Vector<half>> o;
  Input<half> i;
  InOut<Vector<half2, VectorLayout::SPAN, 8>> v2;
  bool compute() {
    fillHead<half>(&o[0], 1.0f);
    half x = *i;
    switch (int(x)) {
    case 0:
      break;
    default:
      o[0] = 3;
    }
    const half &r = i;
    o[1] = r * 3 - 1;
    o[1] = 1.0 - r;
    bool b = r == 0;
    b = b && r;
    o[0] = b;
    v2[0] *= 2.0f;
    v2[1] = v2[0] + v2[1];
    v2[0] = half2{o[0], o[1]};
    v2[0][1] = 3.0f;
    return b;
  }
};
