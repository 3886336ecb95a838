#include "processor/aux_operations.hpp"
#include "processor/element_wise.hpp"
#include "processor/f32.hpp"
#include "processor/half_vectors.hpp"

/// Sums and products. The f32 instructions of inner loops are in float_operations.hpp.
namespace copse::ipud::operation {
namespace {

template <Source S, bool Pair, class F> bool roundedHalves(Core &c, const MicroOp &u, F f) {
  const Rounding rounding(c);
  return halves<S, Pair>(c, u,
                         [&](std::uint16_t x, std::uint16_t y, unsigned i, std::uint32_t &flags) {
                           return f(x, y, i, rounding.mode, flags);
                         });
}

/// Computes two or four halves at once, rounded to nearest.
/// \returns false if an operand or result is not ordinary; nothing has been written then
template <Source S, bool Pair, class F> bool quickHalves(Core &c, const MicroOp &u, F f) {
  const std::uint64_t x = halvesOf<S, Pair>(c, u, 1), y = halvesOf<Source::Whole, Pair>(c, u, 2);
  std::uint64_t result = 0;
  if (fp::any(_mm_or_ps(fp::specials(x), fp::specials(y))) ||
      !fp::narrow(f(fp::widened(x), fp::widened(y)), result))
    return false;
  return setHalves<Pair>(c, u, result);
}

} // namespace

// On whole vectors, or with the lower or upper half of the first operand for every element.
#define COPSE_HALVES(name, pair, function)                                                         \
  bool name(Core &c, const MicroOp &u) {                                                           \
    return roundedHalves<Source::Whole, pair>(c, u, function);                                     \
  }
#define COPSE_QUICK_HALVES(name, pair, source, function, quick)                                    \
  bool name(Core &c, const MicroOp &u) {                                                           \
    const auto f = [](__m128 x, __m128 y) { return quick(x, y); };                                 \
    return (!roundsStochastically(c) && quickHalves<Source::source, pair>(c, u, f)) ||             \
           roundedHalves<Source::source, pair>(c, u, function);                                    \
  }
#define COPSE_SCALED_HALVES(name, pair, function, quick)                                           \
  COPSE_QUICK_HALVES(name, pair, Whole, function, quick)                                           \
  COPSE_QUICK_HALVES(name##BL, pair, Lower, function, quick)                                       \
  COPSE_QUICK_HALVES(name##BU, pair, Upper, function, quick)
COPSE_SCALED_HALVES(F16v2add, false, fp::add16, _mm_add_ps)
COPSE_SCALED_HALVES(F16v4add, true, fp::add16, _mm_add_ps)
COPSE_SCALED_HALVES(F16v2sub, false, fp::sub16, _mm_sub_ps)
COPSE_SCALED_HALVES(F16v4sub, true, fp::sub16, _mm_sub_ps)
COPSE_SCALED_HALVES(F16v2mul, false, fp::mul16, _mm_mul_ps)
COPSE_SCALED_HALVES(F16v4mul, true, fp::mul16, _mm_mul_ps)
COPSE_HALVES(F16v2absadd, false, fp::absadd16)
COPSE_HALVES(F16v4absadd, true, fp::absadd16)
#undef COPSE_SCALED_HALVES
#undef COPSE_QUICK_HALVES
#undef COPSE_HALVES

bool F32absadd(Core &c, const MicroOp &u) { return binary32(c, u, fp::absadd32); }
bool F32v2absadd(Core &c, const MicroOp &u) { return binaryPair<false>(c, u, fp::absadd32); }

bool F16v2sum(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint32_t sum = fp::sum16(half(x, 0), half(x, 1), flags);
  return c.report(flags) && setAux(c, u, sum);
}
bool F16v4sum(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint32_t lo = fp::sum16(half(x, 0), half(x, 1), flags);
  const std::uint32_t hi = fp::sum16(half(x, 2), half(x, 3), flags);
  return c.report(flags) && setPair(c, u, joined(lo, hi));
}

} // namespace copse::ipud::operation
