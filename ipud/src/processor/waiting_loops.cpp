#include "processor/waiting_loops.hpp"

#include "isa/control_flow.hpp"

#include <algorithm>
#include <optional>

namespace copse::ipud {
namespace {

using isa::Exception;
using isa::Opcode;

/// The longest body that is analysed [instructions and bundles].
constexpr std::size_t kLongest = 16;

bool isConditional(Opcode opcode) {
  return opcode == Opcode::Brz || opcode == Opcode::Brnz || opcode == Opcode::Brpos ||
         opcode == Opcode::Brneg;
}

/// Returns the word that a forward branch jumps to; nothing for all other instructions.
std::optional<std::uint32_t> targetOf(const Issue &issue, std::uint32_t address) {
  if (issue.bad != Exception::None ||
      (!isConditional(issue.main.opcode) && issue.main.opcode != Opcode::Bri))
    return std::nullopt;
  const auto shape = isa::infoOf(issue.main.opcode).shape();
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i].kind == isa::OperandKind::CodeAddress &&
        (issue.main.operands[i] & 0x1FFFFF) >= address)
      return ((issue.main.operands[i] & 0x1FFFFF) - address) / 4;
  return std::nullopt;
}

bool isLoad(Opcode opcode) {
  const isa::InstructionInfo &info = isa::infoOf(opcode);
  return info.accessBytes != 0 && info.mnemonic.starts_with("ld") &&
         !info.mnemonic.starts_with("ldst");
}

/// Returns true if the instruction only changes registers, depending on its operands and memory.
bool isPure(const Issue &issue) {
  if (issue.bad != Exception::None)
    return false;
  if (issue.aux.opcode != Opcode::Invalid && issue.aux.opcode != Opcode::AuxSetzi)
    return false; // it may use accumulators and random numbers
  const Opcode main = issue.main.opcode;
  return main == Opcode::Invalid || isConditional(main) || isLoad(main) ||
         (!isa::isForbiddenInRepeat(main) && isa::infoOf(main).accessBytes == 0);
}

/// \param body  body of a loop whose last branch jumps to its first instruction
bool isWaiting(std::span<const Issue> body) {
  RegisterSet needed = 0, written = 0, tested = 0;
  bool loads = false;
  for (const Issue &issue : body) {
    if (!isPure(issue) && !(&issue == &body.back() && issue.main.opcode == Opcode::Bri))
      return false;
    const Footprint main = footprintOf(issue.main), aux = footprintOf(issue.aux);
    needed |= (main.read | aux.read) & ~written;
    written |= main.written | aux.written;
    if (issue.main.opcode != Opcode::Invalid) {
      loads = loads || isLoad(issue.main.opcode);
      if (isConditional(issue.main.opcode))
        tested |= main.read;
    }
  }
  return loads && (tested & written) != 0 && (needed & written) == 0;
}

} // namespace

bool haveWaitingLoop(std::span<const Issue> issues, std::uint32_t address) {
  for (std::size_t last = 0; last < issues.size(); ++last) {
    const auto target = targetOf(issues[last], address);
    if (!target || *target > issues[last].word)
      continue;
    const auto first = std::ranges::lower_bound(issues, *target, {}, &Issue::word) - issues.begin();
    const std::size_t length = last + 1 - static_cast<std::size_t>(first);
    if (length <= kLongest && isWaiting(issues.subspan(static_cast<std::size_t>(first), length)))
      return true;
  }
  return false;
}

} // namespace copse::ipud
