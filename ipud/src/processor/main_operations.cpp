#include "processor/main_operations.hpp"

namespace copse::ipud::operation {
namespace {

bool allAllowed(Core &c, const MicroOp &u, std::initializer_list<Access> accesses, bool stores) {
  const auto bad = checkAccesses(c, u, accesses, stores);
  return bad == isa::Exception::None || c.raise(bad);
}

U64 wordAt(Core &c, std::uint32_t address) { return loaded<U64>(c.memory + address); }

/// Ends a load-store whose load fails: the store is still executed if its own address allows it.
bool failAfterStore(Core &c, isa::Exception exception, std::uint32_t address, U64 data) {
  if (address % sizeof data == 0 && address >= c.chip->begin && address < c.chip->end)
    stored(c.memory + address, data);
  return c.raise(exception);
}

/// Executes two loads, of 64 and \p bytes bits, and steps both addresses.
template <class Second, std::uint32_t Times> bool loadTwo(Core &c, const MicroOp &u) {
  Addresses at = Addresses::of(c, u.r[2]);
  if (!allAllowed(c, u, {{at.a0, 8}, {at.a1, sizeof(Second)}}, false))
    return false;
  const U64 first = wordAt(c, at.a0);
  const auto second = loaded<Second>(c.memory + at.a1);
  const std::uint32_t strides = mainOf(c, u, 3), codes = static_cast<std::uint32_t>(u.immediate);
  at.a0 += advance(strides, codes, 8);
  at.a1 += advance(strides, codes >> 2, sizeof(Second));
  setAddresses(c, u, at);
  setPair(c, u, first);
  if constexpr (sizeof(Second) == 8)
    std::memcpy(c.r() + u.r[1], &second, sizeof second);
  else
    c.r()[u.r[1]] = static_cast<std::uint32_t>(second) * Times;
  return true;
}

/// Loads the next delta, and data at the old delta.
template <class Delta, class Data, std::uint32_t Times, unsigned Shift>
bool loadByDelta(Core &c, const MicroOp &u) {
  const std::uint32_t next = mainOf(c, u, 1), delta = mainOf(c, u, 3);
  const std::uint32_t from = mainOf(c, u, 2) + (delta >> Shift & 0xFFFF);
  if (!allAllowed(c, u, {{next, sizeof(Delta)}, {from, sizeof(Data)}}, false))
    return false;
  const auto data = loaded<Data>(c.memory + from);
  const auto newDelta = loaded<Delta>(c.memory + next);
  c.r()[u.r[4]] = newDelta;
  c.r()[u.written] = next + sizeof(Delta);
  if constexpr (sizeof(Data) == 8)
    return setPair(c, u, data);
  else
    return setAux(c, u, static_cast<std::uint32_t>(data) * Times);
}

} // namespace

bool St64pace(Core &c, const MicroOp &u) {
  Addresses at = Addresses::of(c, u.r[1]);
  if (!allAllowed(c, u, {{at.a2, 8}}, true))
    return false;
  stored(c.memory + at.a2, pairOf(c, u, 0));
  at.a2 += advance(mainOf(c, u, 2), static_cast<std::uint32_t>(u.immediate), 8);
  setAddresses(c, u, at);
  return true;
}

bool Ld2x64pace(Core &c, const MicroOp &u) { return loadTwo<U64, 1>(c, u); }
bool Ld64b16pace(Core &c, const MicroOp &u) { return loadTwo<U16, 0x10001>(c, u); }
bool Ld64a32pace(Core &c, const MicroOp &u) { return loadTwo<U32, 1>(c, u); }

bool Ldst64pace(Core &c, const MicroOp &u) {
  Addresses at = Addresses::of(c, u.r[2]);
  const U64 data = pairOf(c, u, 1);
  const auto bad = checkAccesses(c, u, {{at.a0, 8}, {at.a2, 8}}, true);
  if (bad != isa::Exception::None)
    return failAfterStore(c, bad, at.a2, data);
  const U64 in = wordAt(c, at.a0);
  stored(c.memory + at.a2, data);
  const std::uint32_t strides = mainOf(c, u, 3), codes = static_cast<std::uint32_t>(u.immediate);
  at.a0 += advance(strides, codes, 8);
  at.a2 += advance(strides, codes >> 2, 8);
  setAddresses(c, u, at);
  return setPair(c, u, in);
}

bool Ld2xst64pace(Core &c, const MicroOp &u) {
  Addresses at = Addresses::of(c, u.r[2]);
  const U64 data = pairOf(c, u, 1);
  const auto bad = checkAccesses(c, u, {{at.a0, 8}, {at.a1, 8, true}, {at.a2, 8}}, true);
  if (bad != isa::Exception::None)
    return failAfterStore(c, bad, at.a2, data);
  const U64 first = wordAt(c, at.a0), second = wordAt(c, at.a1);
  stored(c.memory + at.a2, data);
  const std::uint32_t strides = mainOf(c, u, 3), codes = static_cast<std::uint32_t>(u.immediate);
  at.a0 += advance(strides, codes, 8);
  at.a1 += advance(strides, codes >> 2, 8);
  at.a2 += advance(strides, codes >> 4, 8);
  setAddresses(c, u, at);
  std::memcpy(c.r() + u.r[0], &first, sizeof first);
  std::memcpy(c.r() + u.r[0] + 2, &second, sizeof second);
  return true;
}

bool Ldd16v2a32(Core &c, const MicroOp &u) { return loadByDelta<U32, U32, 1, 16>(c, u); }
bool Ldd16a32(Core &c, const MicroOp &u) { return loadByDelta<U16, U32, 1, 0>(c, u); }
bool Ldd16a64(Core &c, const MicroOp &u) { return loadByDelta<U16, U64, 1, 0>(c, u); }
bool Ldd16b16(Core &c, const MicroOp &u) { return loadByDelta<U16, U16, 0x10001, 0>(c, u); }

bool Ldb16b16(Core &c, const MicroOp &u) {
  const std::uint32_t base = mainOf(c, u, 1), deltas = mainOf(c, u, 2), mini = mainOf(c, u, 3);
  const std::uint32_t first = base + (deltas >> 16), second = base + (deltas & 0xFFFF);
  if (!allAllowed(c, u, {{first, 2}, {second, 2}}, false))
    return false;
  const std::uint32_t x = loaded<U16>(c.memory + first) * 0x10001U;
  const std::uint32_t y = loaded<U16>(c.memory + second) * 0x10001U;
  const std::uint32_t high16 = (deltas >> 16) + 2, low16 = deltas + 2 * ((mini & 15) + 1);
  c.r()[u.written] = high16 << 16 | (low16 & 0xFFFF);
  c.r()[u.r[4]] = mini >> 4;
  return setPair(c, u, joined(x, y));
}

bool Ld64a32(Core &c, const MicroOp &u) {
  const std::uint32_t at = mainOf(c, u, 1), from = mainOf(c, u, 2) + (mainOf(c, u, 3) & 0xFFFF);
  if (!allAllowed(c, u, {{at, 8}, {from, 4}}, false))
    return false;
  const U64 wide = wordAt(c, at);
  c.r()[u.r[0] + 1] = loaded<U32>(c.memory + from);
  std::memcpy(c.r() + u.r[0] + 2, &wide, sizeof wide);
  c.r()[u.written] = at + 8;
  return true;
}

} // namespace copse::ipud::operation
