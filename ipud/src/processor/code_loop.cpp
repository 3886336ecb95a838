#include "processor/code_loop.hpp"

#include "isa/registers.hpp"
#include "processor/issue.hpp"
#include "processor/operations.hpp"
#include "processor/repeat_rules.hpp"

#include <algorithm>

namespace copse::ipud {
namespace {

using isa::Opcode;

/// A loop longer than this gains little from one entry, and makes long turns.
constexpr std::size_t kMostIssuesInLoop = 128;

bool isPlain(const isa::Instruction &i) {
  return i.opcode == Opcode::Invalid ||
         (!isForbiddenInRepeat(i.opcode) && operation::functionOf(i.opcode, 0) != nullptr);
}

bool closesLoops(Opcode opcode) {
  return opcode == Opcode::Brnzdec || opcode == Opcode::Brnz || opcode == Opcode::Brz ||
         opcode == Opcode::Brpos || opcode == Opcode::Brneg;
}

bool writesMain(const Issue &issue, std::uint32_t mainRegister) {
  return (footprintOf(issue.main).written >> mainRegister & 1) != 0;
}

} // namespace

bool isStraight(const Issue &issue) {
  return issue.bad == isa::Exception::None && isPlain(issue.main) && isPlain(issue.aux);
}

CodeLoop loopClosedBy(std::span<const Issue> issues, std::size_t last, std::uint32_t address) {
  const Issue &closing = issues[last];
  if (closing.bad != isa::Exception::None || !closesLoops(closing.main.opcode) ||
      !isPlain(closing.aux))
    return {};
  const std::uint32_t tested = closing.main.operands[0];
  const std::uint32_t target = closing.main.operands[1] & 0x1FFFFF;
  if (tested >= isa::kWorkerBase || target < address || target >= address + 4 * closing.word)
    return {};
  // The number of turns must be known at the start.
  const bool isCounted = closing.main.opcode == Opcode::Brnzdec;
  const std::uint32_t first = (target - address) / 4;
  for (std::size_t i = last; i-- > 0 && last - i <= kMostIssuesInLoop;) {
    if (!isStraight(issues[i]) || (isCounted && writesMain(issues[i], tested)))
      return {};
    if (issues[i].word == first)
      return {first, closing.word + closing.words, false, closing.main.opcode,
              static_cast<std::uint8_t>(tested)};
  }
  return {};
}

} // namespace copse::ipud
