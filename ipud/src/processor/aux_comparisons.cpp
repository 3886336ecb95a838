#include "processor/aux_operations.hpp"
#include "processor/element_wise.hpp"
#include "processor/f32.hpp"

/// Comparisons and selections.
namespace copse::ipud::operation {
namespace {

using fp::Comparison;

template <Comparison What>
std::uint32_t compared(std::uint32_t x, std::uint32_t y, std::uint32_t &flags) {
  return fp::compare32(What, x, y, flags);
}
template <Comparison What>
std::uint16_t compared16(std::uint16_t x, std::uint16_t y, unsigned, std::uint32_t &flags) {
  return fp::compare16(What, x, y, flags);
}
template <std::uint16_t (*F)(std::uint16_t, std::uint16_t, std::uint32_t &)>
std::uint16_t chosen16(std::uint16_t x, std::uint16_t y, unsigned, std::uint32_t &flags) {
  return F(x, y, flags);
}

} // namespace

#define COPSE_CHOICE(choice)                                                                       \
  bool F16v2##choice(Core &c, const MicroOp &u) {                                                  \
    return halves<Source::Whole, false>(c, u, chosen16<fp::choice##16>);                           \
  }                                                                                                \
  bool F16v4##choice(Core &c, const MicroOp &u) {                                                  \
    return halves<Source::Whole, true>(c, u, chosen16<fp::choice##16>);                            \
  }                                                                                                \
  bool F32##choice(Core &c, const MicroOp &u) { return binary32(c, u, fp::choice##32); }           \
  bool F32v2##choice(Core &c, const MicroOp &u) { return binaryPair<false>(c, u, fp::choice##32); }
COPSE_CHOICE(max)
COPSE_CHOICE(min)
COPSE_CHOICE(absmax)
#undef COPSE_CHOICE

// On whole vectors, or with one element of the first operand for every element.
#define COPSE_COMPARISON(name, what)                                                               \
  bool F32cmp##name(Core &c, const MicroOp &u) {                                                   \
    return binary32(c, u, compared<Comparison::what>);                                             \
  }                                                                                                \
  bool F32v2cmp##name(Core &c, const MicroOp &u) {                                                 \
    return binaryPair<false>(c, u, compared<Comparison::what>);                                    \
  }                                                                                                \
  bool F32v2cmp##name##B(Core &c, const MicroOp &u) {                                              \
    return binaryPair<true>(c, u, compared<Comparison::what>);                                     \
  }                                                                                                \
  bool F16v2cmp##name(Core &c, const MicroOp &u) {                                                 \
    return halves<Source::Whole, false>(c, u, compared16<Comparison::what>);                       \
  }                                                                                                \
  bool F16v2cmp##name##BL(Core &c, const MicroOp &u) {                                             \
    return halves<Source::Lower, false>(c, u, compared16<Comparison::what>);                       \
  }                                                                                                \
  bool F16v2cmp##name##BU(Core &c, const MicroOp &u) {                                             \
    return halves<Source::Upper, false>(c, u, compared16<Comparison::what>);                       \
  }                                                                                                \
  bool F16v4cmp##name(Core &c, const MicroOp &u) {                                                 \
    return halves<Source::Whole, true>(c, u, compared16<Comparison::what>);                        \
  }                                                                                                \
  bool F16v4cmp##name##BL(Core &c, const MicroOp &u) {                                             \
    return halves<Source::Lower, true>(c, u, compared16<Comparison::what>);                        \
  }                                                                                                \
  bool F16v4cmp##name##BU(Core &c, const MicroOp &u) {                                             \
    return halves<Source::Upper, true>(c, u, compared16<Comparison::what>);                        \
  }
COPSE_COMPARISON(eq, Equal)
COPSE_COMPARISON(ne, NotEqual)
COPSE_COMPARISON(lt, Less)
COPSE_COMPARISON(le, LessEqual)
COPSE_COMPARISON(gt, Greater)
COPSE_COMPARISON(ge, GreaterEqual)
#undef COPSE_COMPARISON

bool F32clamp(Core &c, const MicroOp &u) {
  const std::uint64_t limits = pairOf(c, u, 2);
  std::uint32_t flags = 0;
  const auto result = fp::clamp32(auxOf(c, u, 1), low(limits), high(limits), flags);
  return c.report(flags) && setAux(c, u, result);
}
bool F32v2clamp(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), limits = pairOf(c, u, 2);
  std::uint32_t flags = 0;
  const auto lo = fp::clamp32(low(x), low(limits), high(limits), flags);
  const auto hi = fp::clamp32(high(x), low(limits), high(limits), flags);
  return c.report(flags) && setPair(c, u, joined(lo, hi));
}
namespace {
template <bool Pair> bool clampHalves(Core &c, const MicroOp &u) {
  const std::uint64_t x = Pair ? pairOf(c, u, 1) : auxOf(c, u, 1);
  const std::uint32_t limits = auxOf(c, u, 2);
  std::uint64_t result = 0;
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < (Pair ? 4 : 2); ++i)
    result |= placed(fp::clamp16(half(x, i), half(limits, 0), half(limits, 1), flags), i);
  return c.report(flags) && setHalves<Pair>(c, u, result);
}
} // namespace
bool F16v2clamp(Core &c, const MicroOp &u) { return clampHalves<false>(c, u); }
bool F16v4clamp(Core &c, const MicroOp &u) { return clampHalves<true>(c, u); }

bool F16v2maxc(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint32_t larger = fp::max16(half(x, 0), half(x, 1), flags);
  return c.report(flags) && setAux(c, u, larger);
}
bool F16v4maxc(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint32_t lo = fp::max16(half(x, 0), half(x, 1), flags);
  const std::uint32_t hi = fp::max16(half(x, 2), half(x, 3), flags);
  return c.report(flags) && setAux(c, u, lo | hi << 16);
}

} // namespace copse::ipud::operation
