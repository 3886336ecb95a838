#include "processor/aux_operations.hpp"
#include "processor/float_bits.hpp"
#include "processor/half_rounding.hpp"

/// Random numbers and masks.
namespace copse::ipud::operation {
namespace {
/// Returns an approximately normally distributed number from twelve groups of five bits.
float normal(std::uint64_t bits) {
  int sum = -186;
  for (unsigned k = 0; k < 12; ++k)
    sum += static_cast<int>(bits >> (5 * k) & 31);
  return static_cast<float>(sum) / 32.0F;
}
constexpr std::uint32_t kKeepAll = 1U << 16;
} // namespace
bool Urand32(Core &c, const MicroOp &u) { return setAux(c, u, low(c.prng.advance().r0)); }
bool Urand64(Core &c, const MicroOp &u) { return setPair(c, u, c.prng.advance().r0); }
bool F16v2grand(Core &c, const MicroOp &u) {
  const fp::RandomBits bits = c.prng.advance();
  return setAux(c, u, fp::nearest16(normal(bits.r0)) | fp::nearest16(normal(bits.r1)) << 16);
}
bool F32v2grand(Core &c, const MicroOp &u) {
  const fp::RandomBits bits = c.prng.advance();
  return setPair(c, u, joined(fp::asBits(normal(bits.r0)), fp::asBits(normal(bits.r1))));
}
bool F16v4rmask(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), bits = c.prng.advance().r0;
  const std::uint32_t keep = auxOf(c, u, 2);
  if ((keep & kKeepAll) != 0)
    return setPair(c, u, x);
  std::uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (half(bits, i) < (keep & 0xFFFF))
      result |= placed(half(x, i), i);
  return setPair(c, u, result);
}
bool F32v2rmask(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1), bits = c.prng.advance().r0;
  const std::uint32_t keep = auxOf(c, u, 2);
  if ((keep & kKeepAll) != 0)
    return setPair(c, u, x);
  const std::uint32_t p = keep & 0xFFFF;
  return setPair(c, u, joined(half(bits, 0) < p ? low(x) : 0, half(bits, 2) < p ? high(x) : 0));
}

} // namespace copse::ipud::operation
