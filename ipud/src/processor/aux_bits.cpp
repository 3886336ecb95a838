#include "processor/aux_operations.hpp"
#include "processor/main_operations.hpp"

/// Logic and permutations.
namespace copse::ipud::operation {

// Instructions differ in one expression: x and y are the operands.
#define COPSE_AUX3(name, expression)                                                               \
  bool name(Core &c, const MicroOp &u) {                                                           \
    const std::uint32_t x = auxOf(c, u, 1), y = auxOf(c, u, 2);                                    \
    return setAux(c, u, expression);                                                               \
  }
#define COPSE_PAIR3(name, expression)                                                              \
  bool name(Core &c, const MicroOp &u) {                                                           \
    const std::uint64_t x = pairOf(c, u, 1), y = pairOf(c, u, 2);                                  \
    return setPair(c, u, expression);                                                              \
  }
#define COPSE_AUXI(name, expression)                                                               \
  bool name(Core &c, const MicroOp &u) {                                                           \
    const std::uint32_t x = auxOf(c, u, 1), y = static_cast<std::uint32_t>(u.immediate);           \
    return setAux(c, u, expression);                                                               \
  }
COPSE_AUX3(AuxAnd, x &y)
COPSE_AUX3(AuxAndc, x & ~y)
COPSE_AUX3(AuxRoll16, roll16(x, y))
COPSE_AUX3(AuxRoll8l, roll8l(x, y))
COPSE_AUX3(AuxRoll8r, roll8r(x, y))
COPSE_AUX3(AuxSort4x16hi, sort4x16hi(x, y))
COPSE_AUX3(AuxSort4x16lo, sort4x16lo(x, y))
COPSE_AUX3(AuxShuf8x8hi, shuf8x8hi(x, y))
COPSE_AUX3(AuxShuf8x8lo, shuf8x8lo(x, y))
COPSE_AUX3(AuxSort8x8hi, sort8x8hi(x, y))
COPSE_AUX3(AuxSort8x8lo, sort8x8lo(x, y))
COPSE_AUX3(AuxSort4x16hiBL, sort4x16hi((x & 0xFFFF) * 0x10001, y))
COPSE_AUX3(AuxSort4x16loBU, sort4x16lo((x >> 16) * 0x10001, y))
COPSE_PAIR3(And64, x &y)
COPSE_PAIR3(Andc64, x & ~y)
COPSE_PAIR3(Roll32, joined(high(x), low(y)))
COPSE_PAIR3(Sort4x32hi, joined(high(x), high(y)))
COPSE_PAIR3(Sort4x32lo, joined(low(x), low(y)))
COPSE_AUXI(AuxAndZ, x &y)
COPSE_AUXI(AuxOrZ, x | y)
COPSE_AUXI(AuxAndcZ, x & ~y)
COPSE_AUXI(AuxAndH, x &y)
COPSE_AUXI(AuxOrH, x | y)
COPSE_AUXI(AuxAndcH, x & ~y)
#undef COPSE_AUX3
#undef COPSE_PAIR3
#undef COPSE_AUXI

bool Not(Core &c, const MicroOp &u) { return setAux(c, u, ~auxOf(c, u, 1)); }
bool Not64(Core &c, const MicroOp &u) { return setPair(c, u, ~pairOf(c, u, 1)); }
bool AuxSort8(Core &c, const MicroOp &u) { return setAux(c, u, sort8(auxOf(c, u, 1))); }
bool AuxSwap8(Core &c, const MicroOp &u) { return setAux(c, u, swap8(auxOf(c, u, 1))); }

} // namespace copse::ipud::operation
