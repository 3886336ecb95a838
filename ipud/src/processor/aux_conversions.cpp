#include "processor/aux_operations.hpp"
#include "processor/element_wise.hpp"
#include "processor/f32.hpp"
#include "processor/f8.hpp"
#include "processor/main_operations.hpp"

/// Conversions between number formats.
namespace copse::ipud::operation {
bool F32toi32(Core &c, const MicroOp &u) { return unary32(c, u, fp::toSigned); }
bool F32toui32(Core &c, const MicroOp &u) { return unary32(c, u, fp::toUnsigned); }
bool F32fromi32(Core &c, const MicroOp &u) { return setAux(c, u, fp::fromSigned(auxOf(c, u, 1))); }
bool F32fromui32(Core &c, const MicroOp &u) {
  return setAux(c, u, fp::fromUnsigned(auxOf(c, u, 1)));
}
bool F32sufromui(Core &c, const MicroOp &u) { return setAux(c, u, fp::centred32(auxOf(c, u, 1))); }
bool F32v2sufromui(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1);
  return setPair(c, u, joined(fp::centred32(low(x)), fp::centred32(high(x))));
}
bool F16v2sufromui(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1);
  return setHalves<false>(
      c, u, placed(fp::centred16(half(x, 0)), 0) | placed(fp::centred16(half(x, 1)), 1));
}
bool F16v4sufromui(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1);
  std::uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= placed(fp::centred16(half(x, i)), i);
  return setPair(c, u, result);
}
bool F32int(Core &c, const MicroOp &u) {
  const auto mode = static_cast<std::uint32_t>(u.immediate) & 7;
  return unary32(
      c, u, [&](std::uint32_t x, std::uint32_t &flags) { return fp::integral32(x, mode, flags); });
}
bool F16tof32(Core &c, const MicroOp &u) {
  std::uint32_t flags = 0;
  const std::uint32_t result = fp::widen16(half(auxOf(c, u, 1), 0), flags);
  return c.report(flags) && setAux(c, u, result);
}
bool F16v2tof32(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint32_t lo = fp::widen16(half(x, 0), flags), hi = fp::widen16(half(x, 1), flags);
  return c.report(flags) && setPair(c, u, joined(lo, hi));
}
bool F32tof16(Core &c, const MicroOp &u) {
  const Rounding rounding(c);
  std::uint32_t flags = 0;
  const std::uint32_t h = fp::round16(auxOf(c, u, 1), 0, rounding.mode, flags);
  return c.report(flags) && setAux(c, u, h | h << 16);
}
namespace {
template <unsigned Count> bool narrow(Core &c, const MicroOp &u) {
  const Rounding rounding(c);
  std::uint64_t result = 0;
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < Count; ++i)
    result |= placed(fp::round16(c.r()[u.r[1] + i], i, rounding.mode, flags), i);
  return c.report(flags) && setHalves<Count == 4>(c, u, result);
}
} // namespace
bool F32v2tof16(Core &c, const MicroOp &u) { return narrow<2>(c, u); }
bool F32v4tof16(Core &c, const MicroOp &u) { return narrow<4>(c, u); }
namespace {
fp::QuarterFormat registerFormat(const Core &c) {
  return static_cast<fp::QuarterFormat>(c.fpFormat >> 1 & 1);
}

template <unsigned Count> std::uint64_t quarters(Core &c, const MicroOp &u, std::uint32_t &flags) {
  const Rounding rounding(c);
  std::uint64_t result = 0;
  for (unsigned i = 0; i < Count; ++i) {
    const auto h = static_cast<std::uint16_t>(c.r()[u.r[1] + i / 2] >> (16 * (i % 2)));
    const auto code = fp::round8(h, c.quarterScale(), registerFormat(c), i, rounding.mode, flags);
    result |= std::uint64_t{code} << (8 * i);
  }
  return result;
}
template <unsigned Count> bool widenQuarters(Core &c, const MicroOp &u) {
  const Rounding rounding(c, false);
  const std::uint32_t x = auxOf(c, u, 1);
  std::uint64_t result = 0;
  std::uint32_t flags = 0;
  for (unsigned i = 0; i < Count; ++i)
    result |= placed(fp::widen8(static_cast<std::uint8_t>(byteOf(x, i)), c.quarterScale(),
                                registerFormat(c), rounding.mode, flags),
                     i);
  return c.report(flags) && setHalves<Count == 4>(c, u, result);
}
} // namespace
bool F16v2tof8(Core &c, const MicroOp &u) {
  std::uint32_t flags = 0;
  const auto codes = low(quarters<2>(c, u, flags));
  return c.report(flags) && setAux(c, u, codes | codes << 16);
}
bool F16v8tof8(Core &c, const MicroOp &u) {
  std::uint32_t flags = 0;
  const std::uint64_t codes = quarters<8>(c, u, flags);
  return c.report(flags) && setPair(c, u, codes);
}
bool F8v2tof16(Core &c, const MicroOp &u) { return widenQuarters<2>(c, u); }
bool F8v4tof16(Core &c, const MicroOp &u) { return widenQuarters<4>(c, u); }

} // namespace copse::ipud::operation
