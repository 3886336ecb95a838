#include "processor/translator/pace_form.hpp"

namespace copse::ipud {
namespace {

using isa::Opcode;

std::uint8_t narrowed(std::uint32_t operand) { return static_cast<std::uint8_t>(operand); }

} // namespace

std::optional<PaceForm> paceFormOf(const isa::Instruction &i) {
  const auto &o = i.operands;
  PaceForm form;
  const auto use = [&](unsigned address, unsigned code) {
    form.isUsed[address] = true;
    form.codes[address] = narrowed(code & 3);
  };
  // The index of the first operand after the aux registers.
  unsigned rest = 2;
  const auto codes = [&] { return o[rest + 2]; };
  switch (i.opcode) {
  case Opcode::St64pace:
    rest = 1;
    form.stored = narrowed(o[0]);
    use(2, codes());
    break;
  case Opcode::Ld2x64pace:
    form.loaded[0] = narrowed(o[0]);
    form.loaded[1] = narrowed(o[1]);
    use(0, codes());
    use(1, codes() >> 2);
    break;
  case Opcode::Ldst64pace:
    form.loaded[0] = narrowed(o[0]);
    form.stored = narrowed(o[1]);
    use(0, codes());
    use(2, codes() >> 2);
    break;
  case Opcode::Ld2xst64pace:
    form.loaded[0] = narrowed(o[0]);
    form.loaded[1] = narrowed(o[0] + 2);
    form.stored = narrowed(o[1]);
    form.mustInterleave = true;
    use(0, codes());
    use(1, codes() >> 2);
    use(2, codes() >> 4);
    break;
  default:
    return std::nullopt;
  }
  form.pair = narrowed(o[rest]);
  form.stride = narrowed(o[rest + 1]);
  return form;
}

} // namespace copse::ipud
