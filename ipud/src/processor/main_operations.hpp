#pragma once

#include "processor/operations.hpp"

#include <bit>
#include <limits>

/// The instructions of the main lane, by opcode. The executor implements control flow.
namespace copse::ipud::operation {

// Each instruction is one expression of its operands x and y; `sub` has its own order.
#define COPSE_MAIN2(name, expression)                                                              \
  inline bool name(Core &c, const MicroOp &u) {                                                    \
    return main2(c, u,                                                                             \
                 []([[maybe_unused]] std::uint32_t x) -> std::uint32_t { return expression; });    \
  }
#define COPSE_MAIN3(name, expression)                                                              \
  inline bool name(Core &c, const MicroOp &u) {                                                    \
    return main3(c, u,                                                                             \
                 [](std::uint32_t x, std::uint32_t y) -> std::uint32_t { return expression; });    \
  }
#define COPSE_MAINI(name, expression)                                                              \
  inline bool name(Core &c, const MicroOp &u) {                                                    \
    return mainImmediate(                                                                          \
        c, u, [](std::uint32_t x, std::uint32_t y) -> std::uint32_t { return expression; });       \
  }

inline std::uint32_t byteOf(std::uint32_t x, unsigned i) { return x >> (8 * i) & 0xFF; }
inline std::uint32_t bytes(std::uint32_t b0, std::uint32_t b1, std::uint32_t b2, std::uint32_t b3) {
  return b0 | b1 << 8 | b2 << 16 | b3 << 24;
}
inline std::int32_t asSigned(std::uint32_t x) { return static_cast<std::int32_t>(x); }
inline std::uint32_t countedSigns(std::uint32_t x) {
  const auto same = static_cast<std::uint32_t>(std::countl_zero(asSigned(x) < 0 ? ~x : x));
  return same - 1;
}
inline std::uint32_t reversedBits(std::uint32_t x) {
  x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
  x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
  return (x & 0x0F0F0F0F) << 4 | (x >> 4 & 0x0F0F0F0F);
}

// Permutations that the aux lane has too.
inline std::uint32_t sort8(std::uint32_t x) {
  return bytes(byteOf(x, 0), byteOf(x, 2), byteOf(x, 1), byteOf(x, 3));
}
inline std::uint32_t swap8(std::uint32_t x) {
  return bytes(byteOf(x, 1), byteOf(x, 0), byteOf(x, 3), byteOf(x, 2));
}
inline std::uint32_t roll8r(std::uint32_t x, std::uint32_t y) { return x >> 8 | y << 24; }
inline std::uint32_t roll8l(std::uint32_t x, std::uint32_t y) { return x >> 24 | y << 8; }
inline std::uint32_t roll16(std::uint32_t x, std::uint32_t y) { return x >> 16 | y << 16; }
inline std::uint32_t shuf8x8lo(std::uint32_t x, std::uint32_t y) {
  return bytes(byteOf(x, 0), byteOf(y, 0), byteOf(x, 1), byteOf(y, 1));
}
inline std::uint32_t shuf8x8hi(std::uint32_t x, std::uint32_t y) {
  return bytes(byteOf(x, 2), byteOf(y, 2), byteOf(x, 3), byteOf(y, 3));
}
inline std::uint32_t sort8x8lo(std::uint32_t x, std::uint32_t y) {
  return bytes(byteOf(x, 0), byteOf(x, 2), byteOf(y, 0), byteOf(y, 2));
}
inline std::uint32_t sort8x8hi(std::uint32_t x, std::uint32_t y) {
  return bytes(byteOf(x, 1), byteOf(x, 3), byteOf(y, 1), byteOf(y, 3));
}
inline std::uint32_t sort4x16lo(std::uint32_t x, std::uint32_t y) { return (x & 0xFFFF) | y << 16; }
inline std::uint32_t sort4x16hi(std::uint32_t x, std::uint32_t y) {
  return x >> 16 | (y & 0xFFFF0000);
}

COPSE_MAIN2(Bitrev8, reversedBits(x))
COPSE_MAIN2(Cms, countedSigns(x))
COPSE_MAIN2(Clz, static_cast<std::uint32_t>(std::countl_zero(x)))
COPSE_MAIN2(Popc, static_cast<std::uint32_t>(std::popcount(x)))
COPSE_MAIN2(Sort8, sort8(x))
COPSE_MAIN2(Swap8, swap8(x))
COPSE_MAIN2(Abs, x == 0x80000000 ? 0 : asSigned(x) < 0 ? -x : x)
COPSE_MAIN3(Add, x + y)
COPSE_MAIN3(And, x &y)
COPSE_MAIN3(Andc, x & ~y)
COPSE_MAIN3(Cmpeq, x == y ? 1 : 0)
COPSE_MAIN3(Cmpne, x != y ? 1 : 0)
COPSE_MAIN3(Cmpslt, asSigned(x) < asSigned(y) ? 1 : 0)
COPSE_MAIN3(Cmpult, x < y ? 1 : 0)
COPSE_MAIN3(Max, asSigned(x) > asSigned(y) ? x : y)
COPSE_MAIN3(Min, asSigned(x) < asSigned(y) ? x : y)
COPSE_MAIN3(Mul, x *y)
COPSE_MAIN3(Or, x | y)
COPSE_MAIN3(Roll16, roll16(x, y))
COPSE_MAIN3(Roll8l, roll8l(x, y))
COPSE_MAIN3(Roll8r, roll8r(x, y))
COPSE_MAIN3(Shl, x << (y & 31))
COPSE_MAIN3(Shr, x >> (y & 31))
COPSE_MAIN3(Shrs, static_cast<std::uint32_t>(asSigned(x) >> (y & 31)))
COPSE_MAIN3(Shuf8x8hi, shuf8x8hi(x, y))
COPSE_MAIN3(Shuf8x8lo, shuf8x8lo(x, y))
COPSE_MAIN3(Sort4x16hi, sort4x16hi(x, y))
COPSE_MAIN3(Sort4x16lo, sort4x16lo(x, y))
COPSE_MAIN3(Sort8x8hi, sort8x8hi(x, y))
COPSE_MAIN3(Sort8x8lo, sort8x8lo(x, y))
COPSE_MAIN3(Xnor, ~(x ^ y))
COPSE_MAIN3(Xor, x ^ y)
COPSE_MAIN3(Sub, x - y)
COPSE_MAINI(AndZ, x &y)
COPSE_MAINI(OrZ, x | y)
COPSE_MAINI(ShlZ, x << (y & 31))
COPSE_MAINI(AndcZ, x & ~y)
COPSE_MAINI(ShrZ, x >> (y & 31))
COPSE_MAINI(ShrsZ, static_cast<std::uint32_t>(asSigned(x) >> (y & 31)))
COPSE_MAINI(AddZ, x + y)
COPSE_MAINI(CmpeqZ, x == y ? 1 : 0)
COPSE_MAINI(CmpultZ, x < y ? 1 : 0)
COPSE_MAINI(MaxZ, asSigned(x) > asSigned(y) ? x : y)
COPSE_MAINI(MinZ, asSigned(x) < asSigned(y) ? x : y)
COPSE_MAINI(OrH, x | y)
COPSE_MAINI(AddS, x + y)
COPSE_MAINI(CmpeqS, x == y ? 1 : 0)
COPSE_MAINI(CmpsltS, asSigned(x) < asSigned(y) ? 1 : 0)
COPSE_MAINI(MaxS, asSigned(x) > asSigned(y) ? x : y)
COPSE_MAINI(MinS, asSigned(x) < asSigned(y) ? x : y)
COPSE_MAINI(MulS, x *y)
#undef COPSE_MAIN2
#undef COPSE_MAIN3
#undef COPSE_MAINI

inline bool SubZ(Core &c, const MicroOp &u) {
  return setMain(c, u, static_cast<std::uint32_t>(u.immediate) - mainOf(c, u, 2));
}
inline bool SubS(Core &c, const MicroOp &u) { return SubZ(c, u); }
inline bool Setzi(Core &c, const MicroOp &u) {
  return setMain(c, u, static_cast<std::uint32_t>(u.immediate));
}
inline bool Movz(Core &c, const MicroOp &u) {
  return mainOf(c, u, 1) == 0 || setMain(c, u, mainOf(c, u, 2));
}
inline bool Atom(Core &c, const MicroOp &u) { return setMain(c, u, auxOf(c, u, 1)); }

// Loads and stores
using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using S8 = std::int8_t;
using S16 = std::int16_t;
struct alignas(16) U128 {
  std::uint64_t parts[2];
};

#define COPSE_FORMS(name, zimm, stepping, simm, function, ...)                                     \
  inline bool name(Core &c, const MicroOp &u) {                                                    \
    return function<__VA_ARGS__, Form::Offset>(c, u, c.memory);                                    \
  }                                                                                                \
  inline bool zimm(Core &c, const MicroOp &u) {                                                    \
    return function<__VA_ARGS__, Form::Immediate>(c, u, c.memory);                                 \
  }                                                                                                \
  inline bool stepping(Core &c, const MicroOp &u) {                                                \
    return function<__VA_ARGS__, Form::Step>(c, u, c.memory);                                      \
  }                                                                                                \
  inline bool simm(Core &c, const MicroOp &u) {                                                    \
    return function<__VA_ARGS__, Form::StepImmediate>(c, u, c.memory);                             \
  }
COPSE_FORMS(Ld32, Ld32Z, Ld32step, Ld32stepS, loadMain, U32, U32)
COPSE_FORMS(Ldz16, Ldz16Z, Ldz16step, Ldz16stepS, loadMain, U16, U16)
COPSE_FORMS(Lds16, Lds16Z, Lds16step, Lds16stepS, loadMain, U16, S16)
COPSE_FORMS(Ldz8, Ldz8Z, Ldz8step, Ldz8stepS, loadMain, U8, U8)
COPSE_FORMS(Lds8, Lds8Z, Lds8step, Lds8stepS, loadMain, U8, S8)
COPSE_FORMS(Ld32A, Ld32AZ, Ld32stepA, Ld32stepAS, loadAux, U32, 1)
COPSE_FORMS(Ld64, Ld64Z, Ld64step, Ld64stepS, loadAux, U64, 1)
COPSE_FORMS(Ld128, Ld128Z, Ld128step, Ld128stepS, loadAux, U128, 1)
COPSE_FORMS(Ldb16, Ldb16Z, Ldb16step, Ldb16stepS, loadAux, U16, 0x10001)
COPSE_FORMS(Ldb8, Ldb8Z, Ldb8step, Ldb8stepS, loadAux, U8, 0x1010101)
COPSE_FORMS(St32A, St32AZ, St32stepA, St32stepAS, store, true, U32)
COPSE_FORMS(St64, St64Z, St64step, St64stepS, store, true, U64)
#undef COPSE_FORMS
inline bool St32Z(Core &c, const MicroOp &u) {
  return store<false, U32, Form::Immediate>(c, u, c.memory);
}
inline bool St32stepS(Core &c, const MicroOp &u) {
  return store<false, U32, Form::StepImmediate>(c, u, c.memory);
}
inline bool Stm32(Core &c, const MicroOp &u) {
  const std::uint32_t at = mainOf(c, u, 1) + 4 * mainOf(c, u, 2);
  if (!allowed<4, true>(c, u, at))
    return false;
  stored(c.memory + at, mainOf(c, u, 0));
  return true;
}
inline bool Stm32step(Core &c, const MicroOp &u) {
  const std::uint32_t base = mainOf(c, u, 1), next = base + 4 * mainOf(c, u, 2);
  if (!allowed<4, true>(c, u, base))
    return false;
  stored(c.memory + base, mainOf(c, u, 0));
  c.r()[u.written] = next;
  return true;
}

// Packed addresses: three addresses of 21 bits in a pair of registers.
inline constexpr std::uint32_t kAddressMask = 0x1FFFFF;

inline std::uint64_t packed(std::uint32_t a0, std::uint32_t a1, std::uint32_t a2) {
  const std::uint32_t lo = (a2 & 0x7FF) << 21 | (a0 & kAddressMask);
  const std::uint32_t hi = (a2 >> 11 & 0x3FF) << 21 | (a1 & kAddressMask);
  return joined(lo, hi);
}

/// Three addresses that are packed into a pair of registers, 21 bits each.
struct Addresses {
  std::uint32_t a0, a1, a2;
  static Addresses of(Core &c, unsigned pair) {
    const std::uint32_t lo = c.r()[pair], hi = c.r()[pair + 1];
    return {lo & kAddressMask, hi & kAddressMask, lo >> 21 | (hi >> 21 & 0x3FF) << 11};
  }
};
/// Returns the increment of an address that selector \p code chooses, in units of \p bytes.
inline std::uint32_t advance(std::uint32_t strides, std::uint32_t code, std::uint32_t bytes) {
  code &= 3;
  if (code == 0)
    return bytes;
  const std::uint32_t field = strides >> (10 * (code - 1)) & 0x3FF;
  return ((field ^ 0x200) - 0x200) * bytes;
}
inline void setAddresses(Core &c, const MicroOp &u, const Addresses &a) {
  const std::uint64_t pair = packed(a.a0, a.a1, a.a2);
  std::memcpy(c.r() + u.written, &pair, sizeof pair);
}

inline bool Tapack(Core &c, const MicroOp &u) {
  const std::uint64_t pair = packed(mainOf(c, u, 1), mainOf(c, u, 2), mainOf(c, u, 3));
  std::memcpy(c.r() + u.r[0], &pair, sizeof pair);
  return true;
}

bool St64pace(Core &c, const MicroOp &u);
bool Ld2x64pace(Core &c, const MicroOp &u);
bool Ld64b16pace(Core &c, const MicroOp &u);
bool Ld64a32pace(Core &c, const MicroOp &u);
bool Ldst64pace(Core &c, const MicroOp &u);
bool Ld2xst64pace(Core &c, const MicroOp &u);
bool Ldd16v2a32(Core &c, const MicroOp &u);
bool Ldd16a32(Core &c, const MicroOp &u);
bool Ldd16a64(Core &c, const MicroOp &u);
bool Ldd16b16(Core &c, const MicroOp &u);
bool Ldb16b16(Core &c, const MicroOp &u);
bool Ld64a32(Core &c, const MicroOp &u);

} // namespace copse::ipud::operation
