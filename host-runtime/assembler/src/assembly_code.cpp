#include "assembly.hpp"
#include "instruction_rules.hpp"
#include "isa/registers.hpp"
#include "text.hpp"

namespace copse::assembler {
namespace {

constexpr std::uint32_t kLowBits = 0xFFFFF;

bool isShift(isa::Opcode opcode) {
  return opcode == isa::Opcode::ShlZ || opcode == isa::Opcode::ShrZ || opcode == isa::Opcode::ShrsZ;
}

bool isAux(const ChosenInstruction &chosen) {
  return isa::infoOf(chosen.instruction.opcode).isAux();
}

} // namespace

void Assembly::openBundle(const Location &at) {
  if (bundle_)
    throw StatementError(nullptr, "a bundle inside a bundle");
  bundle_ = Bundle{at, {}, false};
  if (mode_.context == isa::Context::Supervisor)
    throw StatementError(nullptr, "the supervisor has no bundles, only workers do");
}

void Assembly::closeBundle() {
  if (!bundle_)
    throw StatementError(nullptr, "'}' without '{'");
  Bundle bundle = std::move(*bundle_);
  bundle_.reset();
  if (bundle.isBroken)
    return;
  at_ = bundle.at;
  if (bundle.halves.size() != 2)
    throw StatementError(nullptr, "a bundle holds two instructions, this one " +
                                      std::to_string(bundle.halves.size()));
  Half &first = bundle.halves[0], &second = bundle.halves[1];
  if (isAux(first.chosen) == isAux(second.chosen))
    throw StatementError(nullptr, std::string("a bundle holds one instruction of each lane, this "
                                              "one two of the ") +
                                      (isAux(first.chosen) ? "auxiliary" : "main") + " lane");
  if (isAux(first.chosen) && !allowsSwap_)
    throw StatementError(nullptr, "the instruction of the main lane must come first in a bundle");
  if (isAux(first.chosen))
    std::swap(first, second);
  checkBundle(first.chosen.instruction, second.chosen.instruction);
  const std::uint32_t offset = here().size();
  here().issued.push_back(
      {offset, 8, first.chosen.instruction.opcode, second.chosen.instruction.opcode, bundle.at});
  emit(first.chosen, isa::kBundleBit, first.at);
  emit(second.chosen, isa::kBundleBit, second.at);
  noteRepeat(first.chosen.instruction, offset, offset + 8, first.at);
}

ChosenInstruction Assembly::choose(std::string_view mnemonic, std::vector<Operand> operands) {
  ChosenInstruction chosen = chooseInstruction(mnemonic, std::move(operands), symbols_, mode_);
  checkInstruction(chosen.instruction, mode_.architecture);
  warnOfFault(chosen.instruction);
  if (isShift(chosen.instruction.opcode) && !chosen.openOperand &&
      chosen.instruction.operands[2] > 31)
    diagnostics_.warning(at_, "only the five low bits of a shift count matter");
  return chosen;
}

/// Warns once per mnemonic, because code with such instructions has many of them.
void Assembly::warnOfFault(const isa::Instruction &instruction) {
  const std::string fault = faultOf(instruction, mode_.architecture);
  if (!fault.empty() && warnedOf_.insert(isa::infoOf(instruction.opcode).mnemonic).second)
    diagnostics_.warning(at_, fault);
}

void Assembly::takeInstruction(std::string_view mnemonic, std::string_view operands) {
  if (!here().section.isExecutable)
    throw StatementError(mnemonic.data(),
                         "instructions in section '" + here().section.name +
                             "', which is not executable; give it the flags \"ax\"");
  if (mnemonic == "ldconst")
    return loadConstant(operands);
  const ChosenInstruction chosen = choose(mnemonic, readOperands(operands, symbols_, place()));
  if (bundle_)
    bundle_->halves.push_back({chosen, at_});
  else
    issueAlone(chosen, at_);
}

/// Assembles `ldconst $r, number` to one or two words, depending on the number.
void Assembly::loadConstant(std::string_view text) {
  if (bundle_)
    throw StatementError(nullptr, "'ldconst' may be two instructions, so it cannot be in a bundle");
  std::vector<Operand> operands = readOperands(text, symbols_, place());
  if (operands.size() != 2 || operands[1].kind != Operand::Kind::Expression)
    throw StatementError(nullptr, "'ldconst' has a register and a number as operands");
  const Value value = operands[1].value.evaluate(symbols_);
  if (!value.isNumber())
    throw StatementError(operands[1].at, "the number of 'ldconst' must be known here");
  if (value.number < -0x80000000LL || value.number > 0xFFFFFFFFLL)
    throw StatementError(operands[1].at, "the number of 'ldconst' must have 32 bits, not " +
                                             std::to_string(value.number));
  const auto bits = static_cast<std::uint32_t>(value.number);
  const Operand target = operands[0];
  issueAlone(choose("setzi", {target, Operand::ofNumber(bits & kLowBits)}), at_);
  if ((bits & ~kLowBits) != 0)
    issueAlone(choose("or", {target, target, Operand::ofNumber(bits & ~kLowBits)}), at_);
}

void Assembly::issueAlone(const ChosenInstruction &chosen, const Location &at) {
  const std::uint32_t offset = here().size();
  const isa::Opcode opcode = chosen.instruction.opcode;
  const bool aux = isAux(chosen);
  here().issued.push_back(
      {offset, 4, aux ? isa::Opcode::Invalid : opcode, aux ? opcode : isa::Opcode::Invalid, at});
  emit(chosen, 0, at);
  noteRepeat(chosen.instruction, offset, offset + 4, at);
}

void Assembly::emit(const ChosenInstruction &chosen, std::uint32_t bundleBit, const Location &at) {
  if (here().size() % 4 != 0)
    throw StatementError(nullptr, "instructions must be 4-aligned; put .align 4 in front");
  here().section.align = std::max(here().section.align, 4U);
  if (chosen.openOperand)
    fixups_.push_back({current_, here().size(), chosen.instruction.opcode,
                       static_cast<std::uint8_t>(*chosen.openOperand), 4, chosen.open, at});
  here().append(isa::encode(chosen.instruction) | bundleBit, 4);
}

void Assembly::noteRepeat(const isa::Instruction &instruction, std::uint32_t word,
                          std::uint32_t end, const Location &at) {
  if (instruction.opcode != isa::Opcode::Rpt && instruction.opcode != isa::Opcode::RptZ)
    return;
  here().section.align = std::max(here().section.align, 8U);
  repeats_.push_back({current_, word, end, at});
}

} // namespace copse::assembler
