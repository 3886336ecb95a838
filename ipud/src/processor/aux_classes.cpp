#include "processor/aux_operations.hpp"
#include "processor/f8.hpp"
#include "processor/half_rounding.hpp"
#include "processor/main_operations.hpp"

/// Instructions that classify each element.
namespace copse::ipud::operation {
namespace {
std::uint32_t codeOf(fp::Class k) { return static_cast<std::uint32_t>(k); }
} // namespace
bool F32class(Core &c, const MicroOp &u) {
  return setAux(c, u, codeOf(fp::class32(auxOf(c, u, 1))));
}
bool F32v2class(Core &c, const MicroOp &u) {
  const std::uint64_t x = pairOf(c, u, 1);
  return setAux(c, u, codeOf(fp::class32(low(x))) | codeOf(fp::class32(high(x))) << 8);
}
namespace {
std::uint32_t classes(std::uint64_t x, unsigned count) {
  std::uint32_t codes = 0;
  for (unsigned i = 0; i < count; ++i)
    codes |= codeOf(fp::class16(half(x, i))) << (8 * i);
  return codes;
}
} // namespace
bool F16v2class(Core &c, const MicroOp &u) { return setAux(c, u, classes(auxOf(c, u, 1), 2)); }
bool F16v4class(Core &c, const MicroOp &u) { return setAux(c, u, classes(pairOf(c, u, 1), 4)); }
bool F8v4class(Core &c, const MicroOp &u) {
  const std::uint32_t x = auxOf(c, u, 1);
  const auto format = static_cast<fp::QuarterFormat>(c.fpFormat >> 1 & 1);
  std::uint32_t codes = 0;
  for (unsigned i = 0; i < 4; ++i)
    codes |= codeOf(fp::class8(static_cast<std::uint8_t>(byteOf(x, i)), format)) << (8 * i);
  return setAux(c, u, codes);
}

} // namespace copse::ipud::operation
