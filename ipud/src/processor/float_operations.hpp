#pragma once

#include "processor/f32.hpp"
#include "processor/operations.hpp"

/// The aux instructions of inner loops: f32 sums and products.
namespace copse::ipud::operation {

/// Each tries the fast way, and does nothing if the result would not be exact.
namespace quick {

#define COPSE_F32(name, coupled, broadcast, sse, operation, needs)                                 \
  inline bool name(Core &c, const MicroOp &u) {                                                    \
    return quickSingle<Needs::needs>(c, u, [](float x, float y) { return x operation y; });        \
  }                                                                                                \
  inline bool coupled(Core &c, const MicroOp &u) {                                                 \
    return quickCouple<false, Needs::needs>(c, u, [](__m128 x, __m128 y) { return sse(x, y); });   \
  }                                                                                                \
  inline bool broadcast(Core &c, const MicroOp &u) {                                               \
    return quickCouple<true, Needs::needs>(c, u, [](__m128 x, __m128 y) { return sse(x, y); });    \
  }
COPSE_F32(F32add, F32v2add, F32v2addB, _mm_add_ps, +, Bounded)
COPSE_F32(F32sub, F32v2sub, F32v2subB, _mm_sub_ps, -, Bounded)
COPSE_F32(F32mul, F32v2mul, F32v2mulB, _mm_mul_ps, *, Ordinary)
#undef COPSE_F32

// Products that are added to accumulators.
inline bool F32mac(Core &c, const MicroOp &u) {
  float &accumulator = c.accumulators.working[0];
  const float product = floatOf(c, u, 0) * floatOf(c, u, 1);
  const float sum = accumulator + product;
  if (!isOrdinary(fp::asBits(product)) || std::isnan(sum)) [[unlikely]]
    return false;
  accumulator = sum;
  return true;
}
inline bool F32v2mac(Core &c, const MicroOp &u) {
  float *const accumulators = c.accumulators.working.data();
  const __m128 products = _mm_mul_ps(floatsOf(c, u, 0), floatsOf(c, u, 1));
  const __m128 sums = _mm_add_ps(fp::loadedPair(accumulators), products);
  if (!areRight(Needs::Ordinary, products) || fp::any(_mm_cmpunord_ps(sums, sums))) [[unlikely]]
    return false;
  fp::storePair(accumulators, sums);
  return true;
}

} // namespace quick

[[gnu::noinline]] bool exactMac(Core &c, const MicroOp &u);
[[gnu::noinline]] bool exactMacs(Core &c, const MicroOp &u);

#define COPSE_F32(name, exact)                                                                     \
  inline bool name(Core &c, const MicroOp &u) { return quick::name(c, u) || exact(c, u); }
COPSE_F32(F32add, exactSingle<fp::add32>)
COPSE_F32(F32sub, exactSingle<fp::sub32>)
COPSE_F32(F32mul, exactSingle<fp::mul32>)
COPSE_F32(F32mac, exactMac)
COPSE_F32(F32v2add, (exactCouple<false, fp::add32>))
COPSE_F32(F32v2sub, (exactCouple<false, fp::sub32>))
COPSE_F32(F32v2mul, (exactCouple<false, fp::mul32>))
COPSE_F32(F32v2addB, (exactCouple<true, fp::add32>))
COPSE_F32(F32v2subB, (exactCouple<true, fp::sub32>))
COPSE_F32(F32v2mulB, (exactCouple<true, fp::mul32>))
COPSE_F32(F32v2mac, exactMacs)
#undef COPSE_F32

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
