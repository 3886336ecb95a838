#include "processor/aux_operations.hpp"
#include "processor/element_wise.hpp"
#include "processor/f32.hpp"

/// Division, roots and transcendental functions, which take more than one worker cycle.
namespace copse::ipud::operation {
namespace {

template <class F> bool transcendental16(Core &c, const MicroOp &u, F f) {
  const Rounding rounding(c, false);
  const std::uint32_t x = auxOf(c, u, 1);
  std::uint32_t flags = 0;
  const std::uint32_t result = f(half(x, 0), rounding.mode, flags) |
                               static_cast<std::uint32_t>(f(half(x, 1), rounding.mode, flags))
                                   << 16;
  return c.report(flags) && setAux(c, u, result);
}

} // namespace

bool F32div(Core &c, const MicroOp &u) {
  std::uint32_t flags = 0;
  const std::uint32_t result = fp::div32(auxOf(c, u, 1), auxOf(c, u, 2), flags);
  const bool precise = (flags & c.fpControl & (fp::kInvalid | fp::kDivideByZero)) != 0;
  const bool goesOn = c.report(flags);
  if (goesOn || !precise)
    setAux(c, u, result);
  c.isImprecise = !goesOn && !precise; // an overflow stops after the result was written
  return goesOn;
}
bool F32sqrt(Core &c, const MicroOp &u) { return unary32(c, u, fp::sqrt32); }
bool F32oox(Core &c, const MicroOp &u) { return unary32(c, u, fp::reciprocal32); }
bool F32oorx(Core &c, const MicroOp &u) { return unary32(c, u, fp::reciprocalSqrt32); }
bool F32exp(Core &c, const MicroOp &u) { return unary32(c, u, fp::exp32); }
bool F32exp2(Core &c, const MicroOp &u) { return unary32(c, u, fp::exp2of32); }
bool F32ln(Core &c, const MicroOp &u) { return unary32(c, u, fp::ln32); }
bool F32log2(Core &c, const MicroOp &u) { return unary32(c, u, fp::log2of32); }
bool F32tanh(Core &c, const MicroOp &u) { return unary32(c, u, fp::tanh32); }
bool F32sigm(Core &c, const MicroOp &u) { return unary32(c, u, fp::sigmoid32); }
bool F16v2exp(Core &c, const MicroOp &u) { return transcendental16(c, u, fp::exp16); }
bool F16v2exp2(Core &c, const MicroOp &u) { return transcendental16(c, u, fp::exp2of16); }
bool F16v2ln(Core &c, const MicroOp &u) { return transcendental16(c, u, fp::ln16); }
bool F16v2log2(Core &c, const MicroOp &u) { return transcendental16(c, u, fp::log2of16); }
bool F16v2tanh(Core &c, const MicroOp &u) { return transcendental16(c, u, fp::tanh16); }
bool F16v2sigm(Core &c, const MicroOp &u) { return transcendental16(c, u, fp::sigmoid16); }

unsigned extraCycles(isa::Opcode opcode) {
  switch (opcode) {
  case isa::Opcode::F16v2exp:
  case isa::Opcode::F16v2exp2:
  case isa::Opcode::F16v2ln:
  case isa::Opcode::F16v2log2:
  case isa::Opcode::F16v2sigm:
    return 1;
  case isa::Opcode::F32div:
  case isa::Opcode::F32oox:
  case isa::Opcode::F32exp:
  case isa::Opcode::F32exp2:
    return 2;
  case isa::Opcode::F32oorx:
    return 3;
  case isa::Opcode::F32sqrt:
  case isa::Opcode::F32tanh:
  case isa::Opcode::F32sigm:
    return 4;
  case isa::Opcode::F32ln:
  case isa::Opcode::F32log2:
    return 5;
  default:
    return 0;
  }
}

} // namespace copse::ipud::operation
