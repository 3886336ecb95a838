// The C++ of twins_test.cpp: a vertex NAME, and one with the same fields whose code is assembly.
#include <ipu_builtins.h>
#include <ipudef.h>
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
#define VERTEX_IN_ASSEMBLY(NAME, BASE, ARGUMENTS, FIELDS)                                          \
  NAME##InAssembly : public BASE {                                                                 \
  public:                                                                                          \
    FIELDS static const bool isExternalCodelet = true;                                             \
    bool compute(ARGUMENTS) { return true; }                                                       \
  };
#define VERTEX_IN_CPP(NAME, BASE, ARGUMENTS, FIELDS)                                               \
  NAME:                                                                                            \
public                                                                                             \
  BASE {                                                                                           \
  public:                                                                                          \
    FIELDS bool compute(ARGUMENTS);                                                                \
  };                                                                                               \
  inline bool NAME::compute(ARGUMENTS)
#define TWINS(...) class VERTEX_IN_ASSEMBLY(__VA_ARGS__) class VERTEX_IN_CPP(__VA_ARGS__)
template <class T> using Read = Input<Vector<T, VectorLayout::ONE_PTR, 8>>;
template <class T> using Write = Output<Vector<T, VectorLayout::ONE_PTR, 8>>;
template <class T> using Fast = Input<Vector<T, VectorLayout::ONE_PTR, 8, true>>;
template <class T> using Both = InOut<Vector<T, VectorLayout::ONE_PTR, 8, true>>;
template <class V, class Field> V *as(Field &field) { return reinterpret_cast<V *>(&field[0]); }
/// A count that rpt of any architecture can repeat: the mask shows that it fits.
unsigned repeats(unsigned count) { return count & 0xFFF; }

TWINS(VecAdd, Vertex, , Read<float> a; Read<float> b; Write<float> c; unsigned n;) {
  const float2 *x = as<const float2>(a), *y = as<const float2>(b);
  float2 *z = as<float2>(c);
  const unsigned turns = repeats(n);
  for (unsigned i = 0; i < turns; ++i)
    z[i] = x[i] + y[i];
  return true;
}

TWINS(Triple, MultiVertex, unsigned worker, Read<int> x; Write<int> y; unsigned n;) {
  const int *from = as<const int>(x) + worker;
  int *to = as<int>(y) + worker;
  const unsigned turns = (n + 5 - worker) * 0xAAABu >> 18;
  for (unsigned i = 0; i < turns; ++i) {
    *to = *from * 3;
    from += 6;
    to += 6;
  }
  return true;
}

TWINS(Split, Vertex, , unsigned size; Write<unsigned> out;) {
  const unsigned worker = __builtin_ipu_get(CSR_W_WSR__INDEX) & 7, rest = size & 7;
  unsigned count = size >> 3;
  out[0] = count * worker + (worker < rest ? worker : rest);
  count += worker < rest;
  out[1] = count;
  return true;
}

TWINS(GinaOrder, Vertex, , Read<half> x; Write<float> out;) {
  const half4 *from = as<const half4>(x);
  float2 *to = as<float2>(out);
  __builtin_ipu_uput(CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT, CSR_W_FP_CLR__INDEX);
  const half4 low = from[0], high = from[1];
  __builtin_ipu_f16v8acc(low, high);
  __builtin_ipu_f16v8acc(low, high);
  const float2 zero{0, 0};
  to[0] = __builtin_ipu_gina(zero, 0);
  to[1] = __builtin_ipu_gina(zero, 0);
  to[2] = __builtin_ipu_gina(zero, 0);
  to[3] = __builtin_ipu_gina(zero, 0);
  to[4] = __builtin_ipu_gina(zero, 0);
  return true;
}

// Loads four halves while it multiplies those before, as the assembly does.
TWINS(Dot, Vertex, , Read<half> x; Read<half> y; Output<float> result; unsigned groups;) {
  __builtin_ipu_uput(CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT, CSR_W_FP_CLR__INDEX);
  const half4 *from = as<const half4>(x), *by = as<const half4>(y);
  half4 next = *from++;
  const unsigned turns = repeats(groups);
  for (unsigned i = 0; i < turns; ++i) {
    const half4 these = next, those = *by++;
    next = *from++;
    __builtin_ipu_f16v4cmac(these, those);
  }
  const float2 sums = __builtin_ipu_gina(float2{0, 0}, 0);
  *result = sums[0] + sums[1];
  return true;
}

TWINS(RowProduct, Vertex, , Read<half> row; Read<half> columns; Write<float> out; unsigned groups;
      unsigned count;) {
  const half4 *by = as<const half4>(columns);
  float *to = as<float>(out);
  const unsigned turns = repeats(groups);
  for (unsigned c = 0; c < count; ++c) {
    const half4 *from = as<const half4>(row);
    half4 next = *from++;
    __builtin_ipu_uput(CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT,
                       CSR_W_FP_CLR__INDEX);
    for (unsigned i = 0; i < turns; ++i) {
      const half4 these = next, those = *by++;
      next = *from++;
      __builtin_ipu_f16v4cmac(these, those);
    }
    const float2 sums = __builtin_ipu_gina(float2{0, 0}, 0);
    to[c] = sums[0] + sums[1];
  }
  return true;
}

// The assembly of the others is a pipeline that loads and stores in one instruction, which the C++
// does not say. popc reads constraints from the text of a class, so they cannot be in a macro.

#define DOT16_FIELDS                                                                               \
  Read<half> x;                                                                                    \
  Read<half> y;                                                                                    \
  Output<float> result;                                                                            \
  unsigned groups;
// clang-format off
class [[poplar::constraint("elem(*x) != elem(*y)")]] VERTEX_IN_ASSEMBLY(Dot16, Vertex, , DOT16_FIELDS)
class [[poplar::constraint("elem(*x) != elem(*y)")]] VERTEX_IN_CPP(Dot16, Vertex, , DOT16_FIELDS) {
  // clang-format on
  __builtin_ipu_uput(CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT, CSR_W_FP_CLR__INDEX);
  const half4 *from = as<const half4>(x), *by = as<const half4>(y);
  const unsigned turns = repeats(groups);
  for (unsigned i = 0; i < turns; ++i)
    __builtin_ipu_f16v4cmac(from[i], by[i]);
  const float2 sums = __builtin_ipu_gina(float2{0, 0}, 0);
  *result = sums[0] + sums[1];
  return true;
}

#define SCALEH_FIELDS                                                                              \
  Read<half> x;                                                                                    \
  Write<half> y;                                                                                   \
  unsigned groups;                                                                                 \
  half by;
// clang-format off
class [[poplar::constraint("elem(*x) != elem(*y)")]] VERTEX_IN_ASSEMBLY(ScaleH, Vertex, , SCALEH_FIELDS)
class [[poplar::constraint("elem(*x) != elem(*y)")]] VERTEX_IN_CPP(ScaleH, Vertex, , SCALEH_FIELDS) {
  // clang-format on
  const half4 *from = as<const half4>(x);
  half4 *to = as<half4>(y);
  const unsigned turns = repeats(groups);
  const half scale = by;
  for (unsigned i = 0; i < turns; ++i)
    to[i] = from[i] * scale;
  return true;
}

TWINS(AddPipe, Vertex, , Both<float> x; unsigned pairs; float constant;) {
  float2 *at = as<float2>(x);
  const unsigned turns = repeats(pairs);
  const float add = constant;
  for (unsigned i = 0; i < turns; ++i)
    at[i] += add;
  return true;
}

TWINS(TransposeCopy, Vertex, , Fast<float> x; Write<float> y;) {
  const float2 *from = as<const float2>(x);
  float2 *to = as<float2>(y);
  for (unsigned column = 0; column < 4; ++column)
    for (unsigned row = 0; row < 3; ++row)
      *to++ = from[4 * row + column];
  return true;
}
