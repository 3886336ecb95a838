#pragma once

#include "processor/core.hpp"
#include "processor/float_vectors.hpp"
#include "processor/memory_access.hpp"

/// The effects of all instructions except control flow: one function per opcode, which reads all
/// operands before it writes.
/// \returns false after raising an exception; nothing but stores has been written then
namespace copse::ipud::operation {

using Function = bool (*)(Core &, const MicroOp &);

// Operands
inline std::uint32_t mainOf(Core &c, const MicroOp &u, unsigned i) { return c.r()[u.r[i]]; }
inline std::uint32_t auxOf(Core &c, const MicroOp &u, unsigned i) { return c.r()[u.r[i]]; }
inline std::uint64_t pairOf(Core &c, const MicroOp &u, unsigned i) {
  std::uint64_t pair;
  std::memcpy(&pair, c.r() + u.r[i], sizeof pair);
  return pair;
}
inline bool setMain(Core &c, const MicroOp &u, std::uint32_t value) {
  c.r()[u.r[0]] = value;
  return true;
}
inline bool setAux(Core &c, const MicroOp &u, std::uint32_t value) {
  c.r()[u.r[0]] = value;
  return true;
}
inline bool setPair(Core &c, const MicroOp &u, std::uint64_t value) {
  std::memcpy(c.r() + u.r[0], &value, sizeof value);
  return true;
}

// Integer forms
template <class F> inline bool main2(Core &c, const MicroOp &u, F f) {
  return setMain(c, u, f(mainOf(c, u, 1)));
}
template <class F> inline bool main3(Core &c, const MicroOp &u, F f) {
  return setMain(c, u, f(mainOf(c, u, 1), mainOf(c, u, 2)));
}
template <class F> inline bool mainImmediate(Core &c, const MicroOp &u, F f) {
  return setMain(c, u, f(mainOf(c, u, 1), static_cast<std::uint32_t>(u.immediate)));
}

// Addresses
/// The Plain forms omit operands that are zero: they have a register and an offset, or a stepped
/// register.
enum class Form { Offset, Immediate, Step, StepImmediate, Plain, PlainStep };
/// Adds to a register in memory. The assembly hides the content from the compiler, which would
/// otherwise keep the value in a host register.
inline void addTo(std::uint32_t &place, std::uint32_t value) {
  asm("" : "+m"(place));
  place += value;
}
/// Makes the compiler recompute what it derived from \p place, which is cheaper than keeping it.
inline void forgetOrigin(std::uint64_t &place) { asm("" : "+r"(place)); }
/// Subtracts 1 from a register in memory.
/// \returns true if the register was zero
inline bool countDown(std::uint32_t &place) {
  bool borrows;
  asm("subl $1, %0" : "+m"(place), "=@ccc"(borrows));
  return borrows;
}
/// Returns the address of a load or store.
template <unsigned Bytes, Form F> inline std::uint32_t addressOf(Core &c, const MicroOp &u) {
  const auto immediate = static_cast<std::uint32_t>(u.immediate);
  if constexpr (F == Form::Plain)
    return mainOf(c, u, 1) + immediate;
  const std::uint32_t delta = mainOf(c, u, 2);
  if constexpr (F == Form::PlainStep)
    return delta;
  const std::uint32_t sum = mainOf(c, u, 1) + delta;
  if constexpr (F == Form::Offset)
    return sum + Bytes * mainOf(c, u, 3);
  if constexpr (F == Form::Immediate)
    return sum + immediate;
  return sum;
}
/// Steps the address register of a load or store.
template <unsigned Bytes, Form F> inline void step(Core &c, const MicroOp &u) {
  const auto immediate = static_cast<std::uint32_t>(u.immediate);
  if constexpr (F == Form::PlainStep)
    addTo(c.r()[u.r[2]], immediate); // an ordinary register
  else if constexpr (F == Form::Step)
    c.r()[u.written] = mainOf(c, u, 2) + Bytes * mainOf(c, u, 3);
  else if constexpr (F == Form::StepImmediate)
    c.r()[u.written] = mainOf(c, u, 2) + immediate;
}

// An access outside of the window is executed by a function outside of the executor's loop.
enum class Where { Window, Anywhere };
template <class Memory, class Value, Form F> bool loadMainAnywhere(Core &c, const MicroOp &u);
template <class Memory, std::uint32_t Times, Form F>
bool loadAuxAnywhere(Core &c, const MicroOp &u);
template <bool Aux, class Memory, Form F> bool storeAnywhere(Core &c, const MicroOp &u);

/// Loads a \p Memory, widens it to \p Value, and writes the main register of operand 0.
template <class Memory, class Value, Form F, Where W = Where::Window>
inline bool loadMain(Core &c, const MicroOp &u, std::byte *memory) {
  const std::uint32_t address = addressOf<sizeof(Memory), F>(c, u);
  if constexpr (W == Where::Window) {
    if (!isInWindow<sizeof(Memory)>(c, address)) [[unlikely]]
      return loadMainAnywhere<Memory, Value, F>(c, u);
  } else if (!allowed<sizeof(Memory)>(c, u, address)) {
    return false;
  }
  const auto value =
      static_cast<std::uint32_t>(static_cast<Value>(loaded<Memory>(memory + address)));
  step<sizeof(Memory), F>(c, u);
  return setMain(c, u, value);
}
/// Loads a \p Memory, duplicates it \p Times times, and writes the aux register (group) of operand
/// 0.
template <class Memory, std::uint32_t Times, Form F, Where W = Where::Window>
inline bool loadAux(Core &c, const MicroOp &u, std::byte *memory) {
  const std::uint32_t address = addressOf<sizeof(Memory), F>(c, u);
  if constexpr (W == Where::Window) {
    if (!isInWindow<sizeof(Memory)>(c, address)) [[unlikely]]
      return loadAuxAnywhere<Memory, Times, F>(c, u);
  } else if (!allowed<sizeof(Memory)>(c, u, address)) {
    return false;
  }
  const auto value = loaded<Memory>(memory + address);
  step<sizeof(Memory), F>(c, u);
  if constexpr (sizeof(Memory) >= 4)
    std::memcpy(c.r() + u.r[0], &value, sizeof value);
  else
    c.r()[u.r[0]] = static_cast<std::uint32_t>(value) * Times;
  return true;
}
template <bool Aux, class Memory, Form F, Where W = Where::Window>
inline bool store(Core &c, const MicroOp &u, std::byte *memory) {
  const std::uint32_t address = addressOf<sizeof(Memory), F>(c, u);
  if constexpr (W == Where::Window) {
    if (!isInWindow<sizeof(Memory)>(c, address)) [[unlikely]]
      return storeAnywhere<Aux, Memory, F>(c, u);
  } else if (!allowed<sizeof(Memory), true>(c, u, address)) {
    return false;
  }
  Memory value;
  std::memcpy(&value, c.r() + u.r[0], sizeof value);
  step<sizeof(Memory), F>(c, u);
  stored(memory + address, value);
  return true;
}

template <class Memory, class Value, Form F>
[[gnu::noinline]] bool loadMainAnywhere(Core &c, const MicroOp &u) {
  return loadMain<Memory, Value, F, Where::Anywhere>(c, u, c.memory);
}
template <class Memory, std::uint32_t Times, Form F>
[[gnu::noinline]] bool loadAuxAnywhere(Core &c, const MicroOp &u) {
  return loadAux<Memory, Times, F, Where::Anywhere>(c, u, c.memory);
}
template <bool Aux, class Memory, Form F>
[[gnu::noinline]] bool storeAnywhere(Core &c, const MicroOp &u) {
  return store<Aux, Memory, F, Where::Anywhere>(c, u, c.memory);
}

// Fast f32 operations, in the mode that FlushesDenormals sets. Operands that are not ordinary take
// the exact path.
inline bool isOrdinary(std::uint32_t bits) {
  // Bounds for twice the pattern, which has no sign.
  constexpr std::uint32_t kLeast = 1U << 24, kAll = 254U << 24;
  return 2 * bits - kLeast < kAll;
}
/// The condition under which a fast result is correct. A sum is correct unless it is infinite or a
/// NaN; a product must also be nonzero, because a zero may have been a very small number.
enum class Needs { Bounded, Ordinary };
inline bool isRight(Needs needs, std::uint32_t bits) {
  return needs == Needs::Ordinary ? isOrdinary(bits) : (bits & fp::kExponent32) != fp::kExponent32;
}
/// Checks the lower two lanes.
inline bool areRight(Needs needs, __m128 pair) {
  const __m128 wrong =
      needs == Needs::Ordinary ? _mm_castsi128_ps(fp::extraordinary(pair)) : fp::unbounded(pair);
  return (_mm_movemask_ps(wrong) & 3) == 0;
}

inline std::uint32_t low(std::uint64_t pair) { return static_cast<std::uint32_t>(pair); }
inline std::uint32_t high(std::uint64_t pair) { return static_cast<std::uint32_t>(pair >> 32); }
inline std::uint64_t joined(std::uint32_t lo, std::uint32_t hi) {
  return std::uint64_t{hi} << 32 | lo;
}

inline float floatOf(Core &c, const MicroOp &u, unsigned i) {
  using Bits [[gnu::may_alias]] = float; // a copy would go through an integer register
  return *reinterpret_cast<const Bits *>(c.r() + u.r[i]);
}
inline __m128 floatsOf(Core &c, const MicroOp &u, unsigned i) {
  return fp::loadedPair(c.r() + u.r[i]);
}
inline __m128 broadcastOf(Core &c, const MicroOp &u, unsigned i) {
  return _mm_set1_ps(fp::asFloat(auxOf(c, u, i)));
}

/// Executes the fast operation. If the result needs the exact path, nothing is changed.
template <Needs N, class Fast> inline bool quickSingle(Core &c, const MicroOp &u, Fast fast) {
  const float result = fast(floatOf(c, u, 1), floatOf(c, u, 2));
  if (!isRight(N, fp::asBits(result))) [[unlikely]]
    return false;
  std::memcpy(c.r() + u.r[0], &result, sizeof result);
  return true;
}
template <bool Broadcast, Needs N, class Fast>
inline bool quickCouple(Core &c, const MicroOp &u, Fast fast) {
  const __m128 x = Broadcast ? broadcastOf(c, u, 1) : floatsOf(c, u, 1);
  const __m128 result = fast(x, floatsOf(c, u, 2));
  if (!areRight(N, result)) [[unlikely]]
    return false;
  fp::storePair(c.r() + u.r[0], result);
  return true;
}

/// The exact operation on two patterns, which adds to flags.
using Exact32 = std::uint32_t (*)(std::uint32_t, std::uint32_t, std::uint32_t &);

template <Exact32 Exact> [[gnu::noinline]] bool exactSingle(Core &c, const MicroOp &u) {
  std::uint32_t flags = 0;
  const std::uint32_t result = Exact(auxOf(c, u, 1), auxOf(c, u, 2), flags);
  return c.report(flags) && setAux(c, u, result);
}
template <bool Broadcast, Exact32 Exact>
[[gnu::noinline]] bool exactCouple(Core &c, const MicroOp &u) {
  const std::uint32_t first = auxOf(c, u, 1), second = Broadcast ? first : high(pairOf(c, u, 1));
  const std::uint64_t y = pairOf(c, u, 2);
  std::uint32_t flags = 0;
  const std::uint32_t lo = Exact(first, low(y), flags), hi = Exact(second, high(y), flags);
  return c.report(flags) && setPair(c, u, joined(lo, hi));
}

/// Returns the worker cycles that an instruction takes beyond the first.
unsigned extraCycles(isa::Opcode opcode);

/// Returns the function of an instruction; null for control flow, which the executor implements.
Function functionOf(isa::Opcode opcode, std::int32_t immediate);

} // namespace copse::ipud::operation
