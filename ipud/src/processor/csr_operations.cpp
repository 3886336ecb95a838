#include "processor/csr_operations.hpp"

#include "isa/csr.hpp"
#include "isa/registers.hpp"
#include "processor/code_page.hpp"
#include "processor/half_rounding.hpp"
#include "processor/slots.hpp"

namespace copse::ipud::operation {
namespace {

namespace csr = isa::worker_csr;

constexpr std::uint32_t kUpper = 0x100;
constexpr std::uint32_t kTrapMask = 7;
constexpr std::uint32_t kZeroAccumulators = 8;

bool exists(const Core &c, std::uint32_t index) {
  return isa::csrAt(isa::Context::Worker, index, c.chip->architecture) != nullptr;
}

std::uint64_t tileCycles(const Core &c, const MicroOp &u) {
  return c.launched + kSlots * static_cast<std::uint64_t>(c.elapsed(u));
}

std::uint32_t lowerValue(const Core &c, const MicroOp &u, std::uint32_t index) {
  switch (index) {
  case csr::PC:
    return c.address(u);
  case csr::WSR:
    return c.number;
  case csr::VERTEX_BASE:
    return c.registers.m(isa::kVertexBase);
  case csr::WORKER_BASE:
    return c.registers.m(isa::kWorkerBase);
  case csr::REPEAT_COUNT:
    return c.repeatCount;
  case csr::REPEAT_FIRST:
    return c.repeatFirst;
  case csr::REPEAT_END:
    return c.repeatEnd;
  case csr::COUNT_L:
    return low(tileCycles(c, u));
  case csr::COUNT_U:
    return high(tileCycles(c, u));
  case csr::DBG_DATA:
    return c.debugData == nullptr ? 0 : *c.debugData;
  default:
    return 0;
  }
}

std::uint32_t upperValue(const Core &c, std::uint32_t index) {
  switch (index) {
  case csr::FP_STS:
    return c.fpStatus;
  case csr::FP_CTL:
    return c.fpControl;
  case csr::PRNG_0_0:
    return low(c.prng.s0);
  case csr::PRNG_0_1:
    return high(c.prng.s0);
  case csr::PRNG_1_0:
    return low(c.prng.s1);
  case csr::PRNG_1_1:
    return high(c.prng.s1);
  case csr::TAS:
    return c.tas;
  case csr::FP_NFMT:
    return c.fpFormat;
  case csr::FP_SCL:
    return c.fpScale;
  default:
    return 0; // write-only
  }
}

void writeUpper(Core &c, std::uint32_t index, std::uint32_t value) {
  switch (index) {
  case csr::FP_CLR:
    c.fpStatus &= ~(value & kTrapMask);
    if ((value & kZeroAccumulators) != 0)
      c.accumulators = {};
    break;
  case csr::FP_CTL:
    c.fpControl = value & (kTrapMask | kStochastic | kNanOnOverflow);
    break;
  case csr::PRNG_0_0:
    c.prng.s0 = joined(value, high(c.prng.s0));
    break;
  case csr::PRNG_0_1:
    c.prng.s0 = joined(low(c.prng.s0), value);
    break;
  case csr::PRNG_1_0:
    c.prng.s1 = joined(value, high(c.prng.s1));
    break;
  case csr::PRNG_1_1:
    c.prng.s1 = joined(low(c.prng.s1), value);
    break;
  case csr::PRNG_SEED:
    c.prng = fp::Prng::seeded(value);
    break;
  case csr::TAS:
    c.tas = value;
    break;
  case csr::FP_NFMT:
    c.fpFormat = (c.fpFormat & 1) | (value & 2); // the supervisor sets the format of weights
    break;
  case csr::FP_SCL:
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
  if (index == csr::DBG_DATA && c.debugData != nullptr)
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
