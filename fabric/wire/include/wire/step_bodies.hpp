#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Locates the bodies of a step in Image::steps, and visits them; all code that reads control flow
/// uses these functions. Bodies must lie within the list and indices must be valid, as ipud checks;
/// only bodySteps() accepts any step.
namespace copse::wire {

/// Returns the exchanges that an Op::Exchange runs as one: exchanges[index] and the `count` after
/// it. None of them writes what a later one reads, so an IPU may send the data of all before it
/// receives.
inline std::span<const Exchange> exchangesOf(const Image &image, const Step &step) {
  return std::span(image.exchanges).subspan(step.index, std::size_t{step.count} + 1);
}

/// Returns the number of steps that follow \p step as its bodies. The result has 64 bits because an
/// invalid image may name more steps than 32 bits can count.
constexpr std::uint64_t bodySteps(const Step &step) {
  switch (step.op) {
  case Op::Repeat:
  case Op::Switch: // all cases, and the default
  case Op::Case:
    return step.body;
  case Op::While:
  case Op::If:
    return std::uint64_t{step.body} + step.other;
  case Op::ComputeSet:
  case Op::Exchange:
  case Op::Sync:
  case Op::HostExchange:
  case Op::RemoteCopy:
  case Op::Call:
  case Op::Print:
  case Op::Abort:
  case Op::ReadClock:
  case Op::AllTrue:
    return 0;
  }
  return 0; // an operation unknown to this build
}

/// Returns the step that follows step \p at and its bodies.
inline std::uint32_t stepAfter(std::span<const Step> steps, std::uint32_t at) {
  return at + 1 + static_cast<std::uint32_t>(bodySteps(steps[at]));
}

/// Returns the only body of a Repeat or Case at \p at.
constexpr StepRange bodyOf(const Step &step, std::uint32_t at) { return {at + 1, step.body}; }

struct LoopBodies {
  StepRange condition, body;
};
/// Returns the bodies of a While at \p at.
constexpr LoopBodies loopBodies(const Step &step, std::uint32_t at) {
  return {{at + 1, step.other}, {at + 1 + step.other, step.body}};
}

struct BranchBodies {
  StepRange taken, otherwise; ///< run if the predicate is nonzero, or zero
};
/// Returns the bodies of an If at \p at.
constexpr BranchBodies branchBodies(const Step &step, std::uint32_t at) {
  return {{at + 1, step.body}, {at + 1 + step.body, step.other}};
}

/// Calls \p f(value, body) for each case of the Switch at \p at.
/// \returns the default body
StepRange visitCases(std::span<const Step> steps, std::uint32_t at, const auto &f) {
  std::uint32_t next = at + 1;
  for (std::uint32_t i = 0; i < steps[at].count; ++i, next = stepAfter(steps, next))
    f(steps[next].index, bodyOf(steps[next], next));
  return {next, steps[at].other};
}

/// Returns the body that the Switch at \p at runs if its predicate is \p value.
inline StepRange chosenBody(std::span<const Step> steps, std::uint32_t at, std::uint32_t value) {
  std::optional<StepRange> chosen;
  const StepRange otherwise =
      visitCases(steps, at, [&](std::uint32_t ofCase, const StepRange &body) {
        if (!chosen && ofCase == value)
          chosen = body;
      });
  return chosen.value_or(otherwise);
}

/// Calls \p f(body) for each body of step \p at, in the order of the list. The bodies of a Switch
/// are its cases' bodies, then its default. The function that a Call runs is not a body.
void visitBodies(std::span<const Step> steps, std::uint32_t at, const auto &f) {
  const Step &step = steps[at];
  switch (step.op) {
  case Op::Repeat:
  case Op::Case:
    return f(bodyOf(step, at));
  case Op::While: {
    const auto [condition, body] = loopBodies(step, at);
    f(condition);
    return f(body);
  }
  case Op::If: {
    const auto [taken, otherwise] = branchBodies(step, at);
    f(taken);
    return f(otherwise);
  }
  case Op::Switch:
    return f(visitCases(steps, at, [&](std::uint32_t, const StepRange &body) { f(body); }));
  case Op::ComputeSet:
  case Op::Exchange:
  case Op::Sync:
  case Op::HostExchange:
  case Op::RemoteCopy:
  case Op::Call:
  case Op::Print:
  case Op::Abort:
  case Op::ReadClock:
  case Op::AllTrue:
    return;
  }
}

/// Calls \p f(at) for every step that a run of \p ranges may reach, in the order of the list. The
/// steps of a function follow its first Call and are visited only once.
void visitReachable(const Image &image, std::span<const StepRange> ranges, const auto &f) {
  std::vector<bool> called(image.calls.size(), false);
  const auto visit = [&](const auto &self, const StepRange &range) -> void {
    // Bodies lie within the range, so visiting the whole range covers them.
    for (std::uint32_t at = range.first; at < range.first + range.count; ++at) {
      f(at);
      const Step &step = image.steps[at];
      if (step.op == Op::Call && !called[step.index]) {
        called[step.index] = true;
        self(self, image.calls[step.index]);
      }
    }
  };
  for (const StepRange &range : ranges)
    visit(visit, range);
}

} // namespace copse::wire
