#include "processor/issue.hpp"

#include "isa/registers.hpp"
#include "processor/memory_access.hpp"

namespace copse::ipud {
namespace {

using isa::Exception;
using isa::Instruction;
using isa::Opcode;
using isa::OperandInfo;
using isa::OperandKind;

RegisterSet registersOf(const OperandInfo &operand, std::uint32_t number) {
  if (operand.registers == 0)
    return 0;
  const unsigned first = operand.registers == 3 ? number + 1 : number;
  const RegisterSet group = ((1U << operand.registers) - 1) << first;
  return operand.kind == OperandKind::AuxRegister ? group << 16 : group;
}

bool isAux(const Instruction &i) {
  return i.opcode != Opcode::Invalid && isa::infoOf(i.opcode).isAux();
}

void checkDestinations(Issue &issue) {
  const Footprint main = footprintOf(issue.main), aux = footprintOf(issue.aux);
  if ((main.written & aux.written) != 0)
    issue.bad = Exception::InvalidInstruction;
  else if (main.writesTwice || aux.writesTwice)
    issue.bad = Exception::InvalidOperand;
}

} // namespace

Footprint footprintOf(const Instruction &instruction) {
  Footprint print;
  if (instruction.opcode == Opcode::Invalid)
    return print;
  const auto shape = isa::infoOf(instruction.opcode).shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const RegisterSet registers = registersOf(shape[i], instruction.operands[i]);
    if (shape[i].isRead)
      print.read |= registers;
    if (shape[i].isWritten) {
      print.writesTwice |= (print.written & registers) != 0;
      print.written |= registers;
    }
  }
  return print;
}

Instruction IssueReader::decoded(std::uint32_t word) const {
  return isa::decode(word & ~isa::kBundleBit, chip_.architecture);
}

bool IssueReader::read(std::uint32_t at, Issue &issue) const {
  const std::uint32_t word = page_.words[at];
  issue.word = at;
  const bool inBundle = (word & isa::kBundleBit) != 0;
  const Instruction first = isa::decode(
      inBundle && !isPayloadForm(word) ? word & ~isa::kBundleBit : word, chip_.architecture);
  if (first.opcode == Opcode::Invalid || !isa::infoOf(first.opcode).isLegalIn(options_.context)) {
    issue.bad = Exception::InvalidInstruction;
    return true;
  }
  if (!inBundle) {
    (isAux(first) ? issue.aux : issue.main) = first;
    checkDestinations(issue);
    return true;
  }
  return readBundle(at, first, issue);
}

std::vector<Issue> IssueReader::readAll(std::uint32_t begin, std::uint32_t end) const {
  std::vector<Issue> issues;
  for (std::uint32_t at = begin; at < end;) {
    Issue issue;
    if (!read(at, issue))
      break;
    at += issue.words;
    issues.push_back(issue);
  }
  return issues;
}

bool IssueReader::isPayloadForm(std::uint32_t word) const {
  return options_.context == isa::Context::Supervisor && (word & 0xF0000000) == 0xF0000000 &&
         chip_.architecture == isa::Architecture::Ipu21;
}

bool IssueReader::readBundle(std::uint32_t at, const Instruction &first, Issue &issue) const {
  issue.bad = Exception::InvalidInstruction;
  if (options_.context != isa::Context::Worker || isAux(first) ||
      isa::infoOf(first.opcode).isSolo())
    return true;
  if (at + 1 >= page_.words.size()) {
    if (isExecutable(chip_, page_.end()))
      return false; // the other half is in the next page
    issue.bad = Exception::InvalidPc;
    return true;
  }
  const std::uint32_t second = page_.words[at + 1];
  const Instruction other = decoded(second);
  if ((second & isa::kBundleBit) == 0 || !isAux(other))
    return true;
  issue.words = 2;
  issue.main = first;
  issue.aux = other;
  issue.bad = Exception::None;
  checkDestinations(issue);
  return true;
}

} // namespace copse::ipud
