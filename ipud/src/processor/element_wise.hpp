#pragma once

#include "processor/half_rounding.hpp"
#include "processor/operations.hpp"

/// Instructions that apply one operation to each element of their operands.
namespace copse::ipud::operation {

/// Returns the first source of an element-wise instruction of halves, as four halves.
enum class Source { Whole, Lower, Upper };
template <Source S, bool Pair> std::uint64_t halvesOf(Core &c, const MicroOp &u, unsigned i) {
  if constexpr (S == Source::Whole)
    return Pair ? pairOf(c, u, i) : auxOf(c, u, i);
  const std::uint32_t word = auxOf(c, u, i);
  const std::uint64_t h = S == Source::Lower ? word & 0xFFFF : word >> 16;
  return h * 0x0001000100010001;
}

template <bool Pair> bool setHalves(Core &c, const MicroOp &u, std::uint64_t value) {
  return Pair ? setPair(c, u, value) : setAux(c, u, static_cast<std::uint32_t>(value));
}

/// Computes f(x[i], y[i], i, flags) for each element.
template <Source S, bool Pair, class F> bool halves(Core &c, const MicroOp &u, F f) {
  const std::uint64_t x = halvesOf<S, Pair>(c, u, 1), y = halvesOf<Source::Whole, Pair>(c, u, 2);
  std::uint64_t result = 0;
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < (Pair ? 4 : 2); ++i)
    result |= placed(f(half(x, i), half(y, i), i, flags), i);
  return c.report(flags) && setHalves<Pair>(c, u, result);
}
/// Computes f(x, flags) for one f32.
template <class F> bool unary32(Core &c, const MicroOp &u, F f) {
  std::uint32_t flags = 0;
  const std::uint32_t result = f(auxOf(c, u, 1), flags);
  return c.report(flags) && setAux(c, u, result);
}
template <class F> bool binary32(Core &c, const MicroOp &u, F f) {
  std::uint32_t flags = 0;
  const std::uint32_t result = f(auxOf(c, u, 1), auxOf(c, u, 2), flags);
  return c.report(flags) && setAux(c, u, result);
}
template <bool Broadcast, class F> bool binaryPair(Core &c, const MicroOp &u, F f) {
  const std::uint64_t x = Broadcast ? auxOf(c, u, 1) * 0x100000001u : pairOf(c, u, 1);
  const std::uint64_t y = pairOf(c, u, 2);
  std::uint32_t flags = 0;
  const std::uint32_t lo = f(low(x), low(y), flags), hi = f(high(x), high(y), flags);
  return c.report(flags) && setPair(c, u, joined(lo, hi));
}

} // namespace copse::ipud::operation
