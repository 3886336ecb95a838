#include "processor/native_loop.hpp"

#include "processor/code_page.hpp"
#include "processor/native_page.hpp"

#include <algorithm>

namespace copse::ipud {
namespace {

/// Fewer turns do not pay for an entry; after more, the caller checks for interrupts.
constexpr std::uint64_t kFewestTurns = 4, kMostTurns = 1 << 12;

std::uint32_t evaluated(std::uint32_t value, const std::vector<NativeLoop::Term> &terms,
                        const std::uint32_t *registers) {
  for (const NativeLoop::Term &term : terms)
    value += term.factor * registers[term.reg];
  return value;
}

/// Returns for how many turns \p access stays in the window; 0 if it is outside in the first turn.
std::uint64_t turnsInWindow(const Core &core, const NativeLoop::Access &access) {
  const std::uint32_t *const registers = &core.registers.all[RegisterFiles::kMain];
  const std::uint32_t begin = access.shift == 4 ? core.interleaved : core.windowBegin;
  const std::uint32_t offset = evaluated(access.start, access.startTerms, registers) - begin;
  const std::uint32_t step = evaluated(access.step, access.stepTerms, registers);
  const std::uint32_t bytes = 1U << access.shift;
  if (((offset | step) & (bytes - 1)) != 0 ||
      offset >> access.shift >= core.windowLimit[access.shift])
    return 0;
  if (step == 0)
    return kMostTurns;
  const std::uint32_t last = (core.windowLimit[access.shift] - 1) << access.shift;
  const bool isUp = static_cast<std::int32_t>(step) > 0;
  return (isUp ? last - offset : offset) / (isUp ? step : -step) + std::uint64_t{1};
}

/// Returns how often a loop may close before a limit must be checked.
std::uint64_t closingsLeft(const Core &core, const NativeLoop &loop, const MicroOp &head) {
  const std::int64_t bound = loop.isRepeat ? core.end : core.turnEnd;
  const std::int64_t each = loop.isRepeat ? core.repeatIssues : loop.issues;
  const std::int64_t room = bound - 1 - core.cycles - core.page->issues[head.at];
  if (room <= 0)
    return 0;
  if (room >= static_cast<std::int64_t>(kMostTurns) * each)
    return kMostTurns;
  return static_cast<std::uint32_t>(room) / static_cast<std::uint32_t>(each);
}

/// Returns how often the loop returns to its start by its own count; a large number if only its
/// code can tell.
std::uint64_t closingsOf(const Core &core, const NativeLoop &loop, const MicroOp *head) {
  if (loop.isRepeat)
    return core.repeatBody == head ? static_cast<std::uint64_t>(std::max(core.turnsLeft, 0)) : 0;
  return loop.isCounted ? core.registers.m(loop.counter) : kMostTurns;
}

/// Returns in how many of \p turns all accesses stay in the window; below kFewestTurns the result
/// is not exact.
std::uint64_t turnsWithin(const Core &core, const NativeLoop &loop, std::uint64_t turns) {
  for (const NativeLoop::Access &access : loop.accesses) {
    if (turns < kFewestTurns)
      return turns;
    turns = std::min(turns, turnsInWindow(core, access));
  }
  return turns;
}

/// Prepares the weights of \p loop, which do not change while workers run.
/// \returns true if all of them are ordinary
bool preparesWeights(Core &core, const NativeLoop &loop) {
  for (unsigned group = 0; loop.halfWeights >> group != 0; ++group)
    if ((loop.halfWeights >> group & 1) != 0 && !core.weights->preparesHalves(group))
      return false;
  for (unsigned phase = 0; loop.singleWeights >> phase != 0; ++phase)
    if ((loop.singleWeights >> phase & 1) != 0 && !core.weights->preparesSingles(phase))
      return false;
  return true;
}

const MicroOp *interpreted(Core &core, const MicroOp *head, std::uint32_t pause) {
  core.loopPause = pause;
  return head;
}

} // namespace

const MicroOp *enterLoop(Core &core, const MicroOp *head) {
  const NativePage *const native = core.page->natives->find(*core.page, *core.chip);
  if (native == nullptr)
    return head;
  const NativeLoop &loop = native->loop(static_cast<std::size_t>(head->immediate));
  if (loop.entry == nullptr)
    return interpreted(core, head, kLoopPause);
  const std::uint64_t closings = closingsOf(core, loop, head);
  if (closings + 1 < kFewestTurns)
    return interpreted(core, head, static_cast<std::uint32_t>(closings));
  const std::uint64_t allowed = std::min({closings, kMostTurns, closingsLeft(core, loop, *head)});
  // The worker's turn could end at a taken branch. In the last turn of the loop, the closing branch
  // is not executed.
  const std::uint64_t turns = turnsWithin(core, loop, allowed + (loop.hasSkips ? 0 : 1));
  if (turns < kFewestTurns || !preparesWeights(core, loop))
    return interpreted(core, head, kLoopPause);
  const NativeExit exit = loop.entry(&core, turns, core.memory);
  const std::uint64_t closed = turns - exit.rest;
  if (closed < 2 && exit.step->at != head->at)
    core.loopPause = kLoopPause;
  if (loop.isRepeat) {
    core.turnsLeft -= static_cast<std::int32_t>(closed);
    core.cycles += static_cast<std::int64_t>(closed) * core.repeatIssues;
  } else {
    core.cycles += static_cast<std::int64_t>(closed) * loop.issues;
    if (loop.isCounted && !loop.countsItself)
      core.registers.m(loop.counter) -= static_cast<std::uint32_t>(closed);
  }
  return exit.step;
}

} // namespace copse::ipud
