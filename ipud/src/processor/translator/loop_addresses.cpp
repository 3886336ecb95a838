#include "processor/translator/loop_addresses.hpp"

#include "isa/registers.hpp"

#include <algorithm>

namespace copse::ipud {
namespace {

using isa::Instruction;
using isa::Opcode;

/// The contents of registers at a point in the body; empty if unknown.
using Values = std::array<std::optional<Linear>, 16>;

std::uint8_t mainRegister(std::uint32_t operand) { return static_cast<std::uint8_t>(operand); }

/// Sets a register, unless it is one that reads zero or that the machine sets.
void setValue(Values &values, unsigned r, std::optional<Linear> value) {
  if (r < isa::kWorkerBase)
    values[r] = value;
}

std::optional<Linear> sum(const std::optional<Linear> &x, const std::optional<Linear> &y) {
  return x && y ? std::optional(*x + *y) : std::nullopt;
}
std::optional<Linear> multiple(const std::optional<Linear> &x, std::uint32_t factor) {
  return x ? std::optional(*x * factor) : std::nullopt;
}

std::optional<Linear> addressIn(const Values &values, const AccessForm &form) {
  const auto bases = sum(values[form.base], values[form.delta]);
  return sum(sum(bases, multiple(values[form.offset], form.bytes)), Linear::number(form.immediate));
}

/// Returns the result of an integer instruction if it is linear.
std::optional<Linear> resultIn(const Values &values, const Instruction &i) {
  const auto &o = i.operands;
  switch (i.opcode) {
  case Opcode::Add:
    return sum(values[o[1]], values[o[2]]);
  case Opcode::Sub:
    return sum(values[o[1]], multiple(values[o[2]], ~0U));
  case Opcode::AddZ:
  case Opcode::AddS:
    return sum(values[o[1]], Linear::number(o[2]));
  case Opcode::SubZ:
  case Opcode::SubS:
    return sum(Linear::number(o[1]), multiple(values[o[2]], ~0U));
  case Opcode::Setzi:
    return Linear::number(o[1]);
  case Opcode::ShlZ:
    return multiple(values[o[1]], 1U << (o[2] & 31));
  case Opcode::MulS:
    return multiple(values[o[1]], o[2]);
  default:
    return std::nullopt;
  }
}

/// \param isSkipped  the issue is skipped in some turns, so what it writes is unknown afterwards
void apply(Values &values, const Issue &issue, bool isSkipped) {
  if (issue.main.opcode == Opcode::Invalid)
    return;
  const auto form = accessFormOf(issue.main);
  const auto result = resultIn(values, issue.main);
  std::optional<Linear> next;
  if (form)
    next = sum(sum(values[form->stepped], multiple(values[form->stride], form->bytes)),
               Linear::number(form->strideBytes));
  const RegisterSet written = footprintOf(issue.main).written;
  for (unsigned r = 0; r < 16; ++r)
    if ((written >> r & 1) != 0 && isSkipped)
      setValue(values, r, std::nullopt);
    else if ((written >> r & 1) != 0)
      setValue(values, r, form && r == form->stepped ? next : form ? std::nullopt : result);
}

/// Returns by how much \p address changes per turn; \p end has the registers at the end of a turn.
std::optional<Linear> stepOf(const Linear &address, const Values &end) {
  const auto stays = [&](unsigned r) { return end[r] && *end[r] == Linear::reg(r); };
  Linear step;
  for (unsigned r = 0; r < 15; ++r) {
    if (address.factors[r] == 0)
      continue;
    if (!end[r])
      return std::nullopt;
    const Linear change = *end[r] + Linear::reg(r) * ~0U;
    for (unsigned other = 0; other < 15; ++other)
      if (change.factors[other] != 0 && !stays(other))
        return std::nullopt;
    step = step + change * address.factors[r];
  }
  return step;
}

} // namespace

Linear Linear::reg(unsigned r) {
  Linear value;
  if (r != isa::kMainZero)
    value.factors[r] = 1;
  return value;
}

Linear Linear::operator+(const Linear &other) const {
  Linear result = *this;
  result.constant += other.constant;
  for (unsigned r = 0; r < 16; ++r)
    result.factors[r] += other.factors[r];
  return result;
}

Linear Linear::operator*(std::uint32_t factor) const {
  Linear result = *this;
  result.constant *= factor;
  for (std::uint32_t &f : result.factors)
    f *= factor;
  return result;
}

std::optional<AccessForm> accessFormOf(const Instruction &i) {
  if (i.opcode == Opcode::Invalid)
    return std::nullopt;
  const isa::InstructionInfo &info = isa::infoOf(i.opcode);
  AccessForm form;
  form.bytes = info.accessBytes;
  const auto set = [&](bool isStore, bool isAux, std::uint32_t copies, bool signExtends) {
    form.isStore = isStore;
    form.isAux = isAux;
    form.copies = copies;
    form.signExtends = signExtends;
  };
  switch (i.opcode) {
#define COPSE_LOADS(name, isAux, copies, isSigned)                                                 \
  case Opcode::name:                                                                               \
  case Opcode::name##Z:                                                                            \
  case Opcode::name##step:                                                                         \
  case Opcode::name##stepS:                                                                        \
    set(false, isAux, copies, isSigned);                                                           \
    break;
    COPSE_LOADS(Ld32, false, 1, false)
    COPSE_LOADS(Ldz16, false, 1, false)
    COPSE_LOADS(Ldz8, false, 1, false)
    COPSE_LOADS(Lds16, false, 1, true)
    COPSE_LOADS(Lds8, false, 1, true)
    COPSE_LOADS(Ld64, true, 1, false)
    COPSE_LOADS(Ld128, true, 1, false)
    COPSE_LOADS(Ldb16, true, 0x10001, false)
    COPSE_LOADS(Ldb8, true, 0x1010101, false)
#undef COPSE_LOADS
  case Opcode::Ld32A:
  case Opcode::Ld32AZ:
  case Opcode::Ld32stepA:
  case Opcode::Ld32stepAS:
    set(false, true, 1, false);
    break;
  case Opcode::St32A:
  case Opcode::St32AZ:
  case Opcode::St32stepA:
  case Opcode::St32stepAS:
  case Opcode::St64:
  case Opcode::St64Z:
  case Opcode::St64step:
  case Opcode::St64stepS:
    set(true, true, 1, false);
    break;
  case Opcode::St32Z:
  case Opcode::St32stepS:
    set(true, false, 1, false);
    break;
  default:
    return std::nullopt; // stm32, and instructions with several accesses
  }
  const auto shape = info.shape();
  form.base = mainRegister(i.operands[1]);
  form.delta = mainRegister(i.operands[2]);
  const bool steps = shape[2].isWritten;
  const bool isImmediate = shape[3].registers == 0;
  const std::uint32_t value = isImmediate ? i.operands[3] * info.accessBytes : 0;
  if (steps) {
    form.stepped = form.delta;
    (isImmediate ? form.strideBytes : form.immediate) = value;
    if (!isImmediate)
      form.stride = mainRegister(i.operands[3]);
  } else {
    form.immediate = value;
    if (!isImmediate)
      form.offset = mainRegister(i.operands[3]);
  }
  return form;
}

LoopAddresses addressesOf(std::span<const Issue> body, unsigned counter,
                          const std::vector<bool> &skipped) {
  Values values;
  for (unsigned r = 0; r < 16; ++r)
    values[r] = Linear::reg(r);
  std::vector<std::optional<Linear>> found;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const auto form = accessFormOf(body[i].main);
    found.push_back(form ? addressIn(values, *form) : std::nullopt);
    apply(values, body[i], skipped[i]);
  }
  setValue(values, counter, sum(values[counter], Linear::number(~0U)));
  LoopAddresses result;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const auto step = found[i] ? stepOf(*found[i], values) : std::nullopt;
    result.moves.push_back(step.has_value());
    if (step)
      result.accesses.push_back({*found[i], *step, accessFormOf(body[i].main)->bytes});
  }
  return result;
}

} // namespace copse::ipud
