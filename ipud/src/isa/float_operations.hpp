#pragma once

#include "isa/f32.hpp"
#include "isa/operations.hpp"

/// Instructions of the aux lane that inner loops are made of: f32 sums and products.
namespace copse::ipud::operation {

#define COPSE_F32(name, coupled, broadcast, sse, operation, exact)                                 \
  inline bool name(Core &c, const MicroOp &u) {                                                    \
    return single(                                                                                 \
        c, u, [](float x, float y) { return x operation y; }, fp::exact);                          \
  }                                                                                                \
  inline bool coupled(Core &c, const MicroOp &u) {                                                 \
    return couple<false>(                                                                          \
        c, u, [](__m128 x, __m128 y) { return sse(x, y); }, fp::exact);                            \
  }                                                                                                \
  inline bool broadcast(Core &c, const MicroOp &u) {                                               \
    return couple<true>(                                                                           \
        c, u, [](__m128 x, __m128 y) { return sse(x, y); }, fp::exact);                            \
  }
COPSE_F32(F32add, F32v2add, F32v2addB, _mm_add_ps, +, add32)
COPSE_F32(F32sub, F32v2sub, F32v2subB, _mm_sub_ps, -, sub32)
COPSE_F32(F32mul, F32v2mul, F32v2mulB, _mm_mul_ps, *, mul32)
#undef COPSE_F32

/// Adds the product of two patterns to an accumulator.
inline bool addProduct(Core &c, float &accumulator, std::uint32_t x, std::uint32_t y,
                       std::uint32_t &flags) {
  const float p = fp::asFloat(x) * fp::asFloat(y), sum = accumulator + p;
  if (isOrdinary(fp::asBits(p)) && isOrdinary(fp::asBits(sum))) [[likely]] {
    accumulator = sum;
    return true;
  }
  accumulator = fp::accumulated(accumulator, fp::product(x, y, flags));
  return c.report(flags);
}
inline bool F32mac(Core &c, const MicroOp &u) {
  std::uint32_t flags = 0;
  return addProduct(c, c.accumulators[0], auxOf(c, u, 0), auxOf(c, u, 1), flags);
}
inline bool F32v2mac(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 0), y = pairOf(c, u, 1);
  std::uint32_t flags = 0;
  addProduct(c, c.accumulators[0], low(x), low(y), flags);
  addProduct(c, c.accumulators[2], high(x), high(y), flags);
  return flags == 0 || c.fault == isa::Exception::None;
}

inline bool AuxSetzi(Core &c, const MicroOp &u) {
  return setAux(c, u, static_cast<std::uint32_t>(u.immediate));
}
inline bool AuxOr(Core &c, const MicroOp &u) {
  return setAux(c, u, auxOf(c, u, 1) | auxOf(c, u, 2));
}
inline bool Or64(Core &c, const MicroOp &u) {
  return setPair(c, u, pairOf(c, u, 1) | pairOf(c, u, 2));
}

} // namespace copse::ipud::operation
