#include "isa/instruction.hpp"
#include "operand_text.hpp"

#include <algorithm>

namespace copse::isa {
namespace {

constexpr InstructionInfo row(std::string_view mnemonic, std::string_view operands, Issue issue,
                              Architecture since, unsigned bytes, std::uint32_t value,
                              std::uint32_t mask) {
  InstructionInfo info;
  info.mnemonic = mnemonic;
  info.issue = issue;
  info.since = since;
  info.accessBytes = static_cast<std::uint8_t>(bytes);
  info.value = value;
  info.mask = mask;
  while (!operands.empty()) {
    const std::size_t end = std::min(operands.find(", "), operands.size());
    info.operands.at(info.operandCount++) = OperandText(operands.substr(0, end)).read();
    operands.remove_prefix(std::min(end + 2, operands.size()));
  }
  return info;
}

constexpr std::array<InstructionInfo, kOpcodes> kTable = {{
#define INSTRUCTION(opcode, mnemonic, operands, issue, since, bytes, value, mask)                  \
  row(mnemonic, operands, Issue::issue, Architecture::since, bytes, value, mask),
#include "isa/instructions.def"
#undef INSTRUCTION
}};

/// Returns the opcodes sorted by mnemonic; opcodes of one mnemonic keep the order of the table.
constexpr std::array<Opcode, kOpcodes> sortedByMnemonic() {
  std::array<Opcode, kOpcodes> order{};
  for (std::size_t i = 0; i < kOpcodes; ++i)
    order[i] = static_cast<Opcode>(i);
  std::sort(order.begin(), order.end(), [](Opcode a, Opcode b) {
    const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
    const int difference = kTable[x].mnemonic.compare(kTable[y].mnemonic);
    return difference != 0 ? difference < 0 : x < y;
  });
  return order;
}
constexpr std::array<Opcode, kOpcodes> kByMnemonic = sortedByMnemonic();

} // namespace

const InstructionInfo &infoOf(Opcode opcode) { return kTable[static_cast<std::size_t>(opcode)]; }

std::span<const Opcode> formsOf(std::string_view mnemonic) {
  const auto [first, last] = std::ranges::equal_range(kByMnemonic, mnemonic, {},
                                                      [](Opcode o) { return infoOf(o).mnemonic; });
  return {first, last};
}

bool InstructionInfo::isLegalIn(Context context) const {
  switch (issue) {
  case Issue::Any:
    return true;
  case Issue::Worker:
  case Issue::WorkerSolo:
  case Issue::Aux:
    return context == Context::Worker;
  case Issue::Supervisor:
  case Issue::SupervisorSolo:
  case Issue::SupervisorPayload:
    return context == Context::Supervisor;
  }
  return false;
}

} // namespace copse::isa
