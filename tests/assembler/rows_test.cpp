#include "assembled.hpp"
#include "isa/text.hpp"
#include "some_operands.hpp"

#include <gmock/gmock.h>

#include <random>

namespace copse::assembler {
namespace {

using isa::Instruction;
using isa::InstructionInfo;
using isa::Opcode;
using isa::OperandInfo;
using isa::OperandKind;
using test::someValue;

/// Returns true for instructions whose rules forbid some operands that their encodings can hold.
bool isForbidden(const Instruction &instruction) {
  std::uint32_t seen = 0;
  const InstructionInfo &info = isa::infoOf(instruction.opcode);
  for (unsigned i = 0; i < info.operandCount; ++i) {
    const OperandInfo &o = info.operands[i];
    if (!o.isWritten)
      continue;
    const std::uint32_t count = o.registers == 3 ? 4 : o.registers;
    const std::uint32_t bits = ((1U << count) - 1)
                               << (instruction.operands[i] +
                                   (o.kind == OperandKind::AuxRegister ? 16 : 0));
    if (bits & seen)
      return true;
    seen |= bits;
  }
  const bool isWeight =
      instruction.opcode == Opcode::Ld64putcs || instruction.opcode == Opcode::Ld128putcs;
  return isWeight && (instruction.operands[0] > 63 || instruction.operands[0] % 2 != 0);
}

/// Returns a body for a repeat, because the assembler checks bodies.
std::string bodyFor(const Instruction &instruction) {
  if (instruction.opcode != Opcode::Rpt && instruction.opcode != Opcode::RptZ)
    return "";
  std::string body;
  for (std::uint32_t i = 0; i <= instruction.operands[1]; ++i)
    body += "{ nop; fnop }\n";
  return body;
}

void expectReassembles(const Instruction &instruction) {
  const InstructionInfo &info = isa::infoOf(instruction.opcode);
  const std::string text = isa::textOf(instruction);
  const std::string mode = info.isLegalIn(isa::Context::Worker) ? ".worker\n" : ".supervisor\n";
  // The first nop aligns the bodies of repeats.
  const auto got =
      test::words(mode + "nop\n" + text + "\n" + bodyFor(instruction), isa::Architecture::Ipu21);
  ASSERT_GE(got.size(), 2u) << text;
  EXPECT_EQ(got[1], isa::encode(instruction)) << text;
}

class EveryRow : public ::testing::TestWithParam<int> {};

TEST_P(EveryRow, AssemblesFromItsDisassembly) {
  const auto opcode = static_cast<Opcode>(GetParam());
  const InstructionInfo &info = isa::infoOf(opcode);
  std::mt19937 random(7);
  int tried = 0;
  for (int n = 0; n < 3 * 16; ++n) {
    Instruction instruction{opcode, {}};
    for (unsigned i = 0; i < info.operandCount; ++i)
      instruction.operands[i] =
          someValue(info.operands[i], n < 2 ? n : static_cast<int>(random() % 3), random);
    if (isForbidden(instruction))
      continue;
    ++tried;
    expectReassembles(instruction);
  }
  EXPECT_GT(tried, 0);
}

INSTANTIATE_TEST_SUITE_P(Isa, EveryRow, ::testing::Range(0, static_cast<int>(isa::kOpcodes)),
                         [](const auto &p) {
                           return std::string(isa::infoOf(static_cast<Opcode>(p.param)).mnemonic) +
                                  "_" + std::to_string(p.param);
                         });

} // namespace
} // namespace copse::assembler
