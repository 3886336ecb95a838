#pragma once

#include "isa/core.hpp"
#include "isa/memory_access.hpp"

#include <emmintrin.h>

/// What each instruction does, but for control flow: one function for each opcode, which reads all
/// operands before it writes. \returns false after raising an exception; nothing is written then,
/// except by stores.
namespace copse::ipud::operation {

using Function = bool (*)(Core &, const MicroOp &);

// Operands.
inline std::uint32_t mainOf(Core &c, const MicroOp &u, unsigned i) { return c.m()[u.r[i]]; }
inline std::uint32_t auxOf(Core &c, const MicroOp &u, unsigned i) { return c.a()[u.r[i]]; }
inline std::uint64_t pairOf(Core &c, const MicroOp &u, unsigned i) {
  std::uint64_t pair;
  std::memcpy(&pair, c.a() + u.r[i], sizeof pair);
  return pair;
}
inline bool setMain(Core &c, const MicroOp &u, std::uint32_t value) {
  c.m()[u.r[0]] = value;
  return true;
}
inline bool setAux(Core &c, const MicroOp &u, std::uint32_t value) {
  c.a()[u.r[0]] = value;
  return true;
}
inline bool setPair(Core &c, const MicroOp &u, std::uint64_t value) {
  std::memcpy(c.a() + u.r[0], &value, sizeof value);
  return true;
}

// Integer forms.
template <class F> inline bool main2(Core &c, const MicroOp &u, F f) {
  return setMain(c, u, f(mainOf(c, u, 1)));
}
template <class F> inline bool main3(Core &c, const MicroOp &u, F f) {
  return setMain(c, u, f(mainOf(c, u, 1), mainOf(c, u, 2)));
}
template <class F> inline bool mainImmediate(Core &c, const MicroOp &u, F f) {
  return setMain(c, u, f(mainOf(c, u, 1), static_cast<std::uint32_t>(u.immediate)));
}

// Addresses.
/// The plain ones leave out what is zero: one register and an offset, or one that is stepped.
enum class Form { Offset, Immediate, Step, StepImmediate, Plain, PlainStep };
/// Where a load or store goes, and what its stepped register becomes.
struct Target {
  std::uint32_t address, next;
};
template <unsigned Bytes, Form F> inline Target targetOf(Core &c, const MicroOp &u) {
  const auto immediate = static_cast<std::uint32_t>(u.immediate);
  if constexpr (F == Form::Plain)
    return {mainOf(c, u, 1) + immediate, 0};
  const std::uint32_t delta = mainOf(c, u, 2);
  if constexpr (F == Form::PlainStep)
    return {delta, delta + immediate};
  const std::uint32_t sum = mainOf(c, u, 1) + delta;
  if constexpr (F == Form::Offset)
    return {sum + Bytes * mainOf(c, u, 3), 0};
  if constexpr (F == Form::Immediate)
    return {sum + immediate, 0};
  if constexpr (F == Form::Step)
    return {sum, delta + Bytes * mainOf(c, u, 3)};
  return {sum, delta + immediate};
}
template <Form F> inline void step(Core &c, const MicroOp &u, const Target &target) {
  if constexpr (F == Form::PlainStep)
    c.m()[u.r[2]] = target.next; // an ordinary register
  else if constexpr (F == Form::Step || F == Form::StepImmediate)
    c.m()[u.written] = target.next;
}

/// Loads a \p Memory, widens it by \p Value, writes the main register of operand 0.
template <class Memory, class Value, Form F>
inline bool loadMain(Core &c, const MicroOp &u, const std::byte *memory) {
  const Target target = targetOf<sizeof(Memory), F>(c, u);
  if (!allowed<sizeof(Memory)>(c, u, target.address)) [[unlikely]]
    return false;
  const auto value =
      static_cast<std::uint32_t>(static_cast<Value>(loaded<Memory>(memory + target.address)));
  step<F>(c, u, target);
  return setMain(c, u, value);
}
template <class Memory, class Value, Form F> inline bool loadMain(Core &c, const MicroOp &u) {
  return loadMain<Memory, Value, F>(c, u, c.memory);
}
/// Loads a \p Memory, makes \p Times copies of it, writes the aux register (group) of operand 0.
template <class Memory, std::uint32_t Times, Form F>
inline bool loadAux(Core &c, const MicroOp &u, const std::byte *memory) {
  const Target target = targetOf<sizeof(Memory), F>(c, u);
  if (!allowed<sizeof(Memory)>(c, u, target.address)) [[unlikely]]
    return false;
  const auto value = loaded<Memory>(memory + target.address);
  step<F>(c, u, target);
  if constexpr (sizeof(Memory) >= 4)
    std::memcpy(c.a() + u.r[0], &value, sizeof value);
  else
    c.a()[u.r[0]] = static_cast<std::uint32_t>(value) * Times;
  return true;
}
template <class Memory, std::uint32_t Times, Form F>
inline bool loadAux(Core &c, const MicroOp &u) {
  return loadAux<Memory, Times, F>(c, u, c.memory);
}
template <bool Aux, class Memory, Form F>
inline bool store(Core &c, const MicroOp &u, std::byte *memory) {
  const Target target = targetOf<sizeof(Memory), F>(c, u);
  if (!allowed<sizeof(Memory), true>(c, u, target.address)) [[unlikely]]
    return false;
  Memory value;
  std::memcpy(&value, (Aux ? c.a() : c.m()) + u.r[0], sizeof value);
  step<F>(c, u, target);
  stored(memory + target.address, value);
  return true;
}
template <bool Aux, class Memory, Form F> inline bool store(Core &c, const MicroOp &u) {
  return store<Aux, Memory, F>(c, u, c.memory);
}

// f32 at full speed. The executor's thread treats denormal operands as zero; results that are not
// ordinary numbers go the long way.
inline bool isOrdinary(std::uint32_t bits) {
  return (bits & fp::kExponent32) - 1 < fp::kExponent32 - 1;
}
template <class Fast, class Exact>
inline bool single(Core &c, const MicroOp &u, Fast fast, Exact exact) {
  const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);
  const std::uint32_t bits = fp::asBits(fast(fp::asFloat(x), fp::asFloat(y)));
  if (isOrdinary(bits)) [[likely]]
    return setAux(c, u, bits);
  std::uint32_t flags = 0;
  const std::uint32_t result = exact(x, y, flags);
  return c.report(flags) && setAux(c, u, result);
}

inline std::uint32_t low(std::uint64_t pair) { return static_cast<std::uint32_t>(pair); }
inline std::uint32_t high(std::uint64_t pair) { return static_cast<std::uint32_t>(pair >> 32); }
inline std::uint64_t joined(std::uint32_t lo, std::uint32_t hi) {
  return std::uint64_t{hi} << 32 | lo;
}

inline __m128 floatsOf(Core &c, const MicroOp &u, unsigned i) {
  return _mm_castpd_ps(_mm_load_sd(reinterpret_cast<const double *>(c.a() + u.r[i])));
}
inline __m128 broadcastOf(Core &c, const MicroOp &u, unsigned i) {
  return _mm_set1_ps(fp::asFloat(auxOf(c, u, i)));
}
/// Whether the lower two floats are ordinary numbers.
inline bool areOrdinary(__m128 x) {
  const __m128i exponents =
      _mm_and_si128(_mm_castps_si128(x), _mm_set1_epi32(static_cast<int>(fp::kExponent32)));
  const __m128i extreme =
      _mm_or_si128(_mm_cmpeq_epi32(exponents, _mm_setzero_si128()),
                   _mm_cmpeq_epi32(exponents, _mm_set1_epi32(static_cast<int>(fp::kExponent32))));
  return (_mm_movemask_ps(_mm_castsi128_ps(extreme)) & 3) == 0;
}
template <bool Broadcast, class Fast, class Exact>
inline bool couple(Core &c, const MicroOp &u, Fast fast, Exact exact) {
  const __m128 x = Broadcast ? broadcastOf(c, u, 1) : floatsOf(c, u, 1);
  const __m128 result = fast(x, floatsOf(c, u, 2));
  if (areOrdinary(result)) [[likely]] {
    _mm_store_sd(reinterpret_cast<double *>(c.a() + u.r[0]), _mm_castps_pd(result));
    return true;
  }
  const std::uint32_t first = auxOf(c, u, 1), second = Broadcast ? first : high(pairOf(c, u, 1));
  const std::uint64_t y = pairOf(c, u, 2);
  std::uint32_t flags = 0;
  const std::uint32_t lo = exact(first, low(y), flags), hi = exact(second, high(y), flags);
  return c.report(flags) && setPair(c, u, joined(lo, hi));
}

/// The function of an opcode; null for control flow, which the executor has.
Function functionOf(isa::Opcode opcode);

} // namespace copse::ipud::operation
