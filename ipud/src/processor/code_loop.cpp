#include "processor/code_loop.hpp"

#include "isa/control_flow.hpp"
#include "isa/registers.hpp"
#include "processor/issue.hpp"
#include "processor/operations.hpp"

#include <algorithm>

namespace copse::ipud {
namespace {

using isa::Opcode;

/// A longer loop gains little from being entered as one unit, and its turns are long.
constexpr std::size_t kMostIssuesInLoop = 128;

bool isPlain(const isa::Instruction &i) {
  return i.opcode == Opcode::Invalid ||
         (!isa::isForbiddenInRepeat(i.opcode) && operation::functionOf(i.opcode, 0) != nullptr);
}

bool closesLoops(Opcode opcode) { return opcode == Opcode::Brnzdec || isCondition(opcode); }

std::uint32_t targetOfBranch(const Issue &issue) { return issue.main.operands[1] & 0x1FFFFF; }

/// Returns true if all skips in \p body have their targets in it.
bool skipsStayIn(std::span<const Issue> body, std::uint32_t address) {
  return std::ranges::all_of(body.first(body.size() - 1), [&](const Issue &issue) {
    return !isSkip(issue, address) || std::ranges::any_of(body, [&](const Issue &target) {
      return target.word == targetOfSkip(issue, address);
    });
  });
}

bool writesMain(const Issue &issue, std::uint32_t mainRegister) {
  return (footprintOf(issue.main).written >> mainRegister & 1) != 0;
}

} // namespace

bool isStraight(const Issue &issue) {
  return issue.bad == isa::Exception::None && isPlain(issue.main) && isPlain(issue.aux);
}

bool isCondition(Opcode opcode) {
  return opcode == Opcode::Brnz || opcode == Opcode::Brz || opcode == Opcode::Brpos ||
         opcode == Opcode::Brneg;
}

bool isSkip(const Issue &issue, std::uint32_t address) {
  return issue.bad == isa::Exception::None && isCondition(issue.main.opcode) &&
         isPlain(issue.aux) && issue.main.operands[0] < isa::kWorkerBase &&
         targetOfBranch(issue) % 4 == 0 && targetOfBranch(issue) > address + 4 * issue.word;
}

std::uint32_t targetOfSkip(const Issue &issue, std::uint32_t address) {
  return (targetOfBranch(issue) - address) / 4;
}

CodeLoop loopClosedBy(std::span<const Issue> issues, std::size_t last, std::uint32_t address) {
  const Issue &closing = issues[last];
  if (closing.bad != isa::Exception::None || !closesLoops(closing.main.opcode) ||
      !isPlain(closing.aux))
    return {};
  const std::uint32_t tested = closing.main.operands[0];
  const std::uint32_t target = targetOfBranch(closing);
  if (tested >= isa::kWorkerBase || target < address || target >= address + 4 * closing.word)
    return {};
  // The number of turns must be known in advance.
  const bool isCounted = closing.main.opcode == Opcode::Brnzdec;
  const std::uint32_t first = (target - address) / 4;
  for (std::size_t i = last; i-- > 0 && last - i <= kMostIssuesInLoop;) {
    const bool isAllowed = isStraight(issues[i]) || isSkip(issues[i], address);
    if (!isAllowed || (isCounted && writesMain(issues[i], tested)))
      return {};
    if (issues[i].word == first && !skipsStayIn(issues.subspan(i, last - i + 1), address))
      return {};
    if (issues[i].word == first)
      return {first, closing.word + closing.words, false, closing.main.opcode,
              static_cast<std::uint8_t>(tested)};
  }
  return {};
}

} // namespace copse::ipud
