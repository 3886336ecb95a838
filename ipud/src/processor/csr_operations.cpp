#include "processor/csr_operations.hpp"

#include "isa/csr.hpp"
#include "isa/registers.hpp"
#include "processor/code_page.hpp"
#include "processor/half_rounding.hpp"

namespace copse::ipud::operation {
namespace {

constexpr std::uint32_t kUpper = 0x100;
constexpr std::uint32_t kTrapMask = 7;
constexpr std::uint32_t kZeroAccumulators = 8;
constexpr std::uint32_t kSlots = 6; ///< tile cycles of one worker cycle

bool exists(const Core &c, std::uint32_t index) {
  return isa::csrAt(isa::Context::Worker, index, c.chip->architecture) != nullptr;
}

std::uint64_t tileCycles(const Core &c, const MicroOp &u) {
  return c.launched + kSlots * static_cast<std::uint64_t>(c.elapsed(u));
}

std::uint32_t lowerValue(const Core &c, const MicroOp &u, std::uint32_t index) {
  switch (index) {
  case 0x00:
    return c.address(u);
  case 0x01:
    return c.number;
  case 0x02:
    return c.registers.m(isa::kVertexBase);
  case 0x03:
    return c.registers.m(isa::kWorkerBase);
  case 0x04:
    return c.repeatCount;
  case 0x05:
    return c.repeatFirst;
  case 0x06:
    return c.repeatEnd;
  case 0x60:
    return low(tileCycles(c, u));
  case 0x61:
    return high(tileCycles(c, u));
  case 0x70:
    return c.debugData == nullptr ? 0 : *c.debugData;
  default:
    return 0;
  }
}

std::uint32_t upperValue(const Core &c, std::uint32_t index) {
  switch (index) {
  case 0x100:
    return c.fpStatus;
  case 0x102:
    return c.fpControl;
  case 0x103:
    return low(c.prng.s0);
  case 0x104:
    return high(c.prng.s0);
  case 0x105:
    return low(c.prng.s1);
  case 0x106:
    return high(c.prng.s1);
  case 0x108:
    return c.tas;
  case 0x109:
    return c.fpFormat;
  case 0x10A:
    return c.fpScale;
  default:
    return 0; // write-only
  }
}

void writeUpper(Core &c, std::uint32_t index, std::uint32_t value) {
  switch (index) {
  case 0x101:
    c.fpStatus &= ~(value & kTrapMask);
    if ((value & kZeroAccumulators) != 0)
      c.accumulators = {};
    break;
  case 0x102:
    c.fpControl = value & (kTrapMask | kStochastic | kNanOnOverflow);
    break;
  case 0x103:
    c.prng.s0 = joined(value, high(c.prng.s0));
    break;
  case 0x104:
    c.prng.s0 = joined(low(c.prng.s0), value);
    break;
  case 0x105:
    c.prng.s1 = joined(value, high(c.prng.s1));
    break;
  case 0x106:
    c.prng.s1 = joined(low(c.prng.s1), value);
    break;
  case 0x107:
    c.prng = fp::Prng::seeded(value);
    break;
  case 0x108:
    c.tas = value;
    break;
  case 0x109:
    c.fpFormat = (c.fpFormat & 1) | (value & 2); // the format of weights is the supervisor's
    break;
  case 0x10A:
    c.fpScale = value & 63;
    break;
  default:
    break; // read-only
  }
}

} // namespace

bool Get(Core &c, const MicroOp &u) {
  const auto index = static_cast<std::uint32_t>(u.immediate);
  return exists(c, index) ? setMain(c, u, lowerValue(c, u, index))
                          : c.raise(isa::Exception::InvalidOperand);
}

bool Put(Core &c, const MicroOp &u) {
  const auto index = static_cast<std::uint32_t>(u.immediate);
  if (!exists(c, index))
    return c.raise(isa::Exception::InvalidOperand);
  if (index == 0x70 && c.debugData != nullptr)
    *c.debugData = mainOf(c, u, 1);
  return true;
}

bool Uget(Core &c, const MicroOp &u) {
  const std::uint32_t index = kUpper + static_cast<std::uint32_t>(u.immediate);
  return exists(c, index) ? setAux(c, u, upperValue(c, index))
                          : c.raise(isa::Exception::InvalidOperand);
}

bool Uput(Core &c, const MicroOp &u) {
  const std::uint32_t index = kUpper + static_cast<std::uint32_t>(u.immediate);
  if (!exists(c, index))
    return c.raise(isa::Exception::InvalidOperand);
  writeUpper(c, index, auxOf(c, u, 1));
  return true;
}

} // namespace copse::ipud::operation
