#include "plan.hpp"

#include <algorithm>

namespace gcl {
namespace {

enum class Direction { Clockwise, Anticlockwise };

/// Builds the steps of a ring's members on reordered rows, in which row i belongs to the member i
/// positions before.
class Arcs {
public:
  explicit Arcs(unsigned members) : members_(members) {}

  /// Returns the steps in which partial results come from the member \p length positions away, and
  /// are combined on their way to row 0.
  std::vector<Step> reduce(Direction direction, unsigned length, unsigned receiveRow,
                           Part part) const {
    std::vector<Step> steps(length);
    for (unsigned t = 1; t <= length; ++t) {
      const unsigned from = members_ - length + t - 1;
      steps[t - 1].moves = {{row(direction, from), receiveRow, shift(direction), part}};
      steps[t - 1].folds = {{row(direction, from + 1), receiveRow, 1, part}};
    }
    return steps;
  }

  /// Returns the steps in which row 0 travels \p length positions.
  std::vector<Step> gather(Direction direction, unsigned length, Part part) const {
    std::vector<Step> steps(length);
    for (unsigned t = 1; t <= length; ++t)
      steps[t - 1].moves = {{row(direction, t - 1), row(direction, t), shift(direction), part}};
    return steps;
  }

private:
  unsigned row(Direction direction, unsigned distance) const {
    return direction == Direction::Clockwise ? distance % members_
                                             : (members_ - distance % members_) % members_;
  }
  unsigned shift(Direction direction) const {
    return direction == Direction::Clockwise ? 1 : members_ - 1;
  }

  unsigned members_;
};

/// Merges two lists of steps to run at the same time. Where both fold into one row, one fold takes
/// the rows of both, which are adjacent.
std::vector<Step> together(std::vector<Step> a, const std::vector<Step> &b) {
  a.resize(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < b.size(); ++i) {
    a[i].moves.insert(a[i].moves.end(), b[i].moves.begin(), b[i].moves.end());
    for (const Fold &fold : b[i].folds) {
      const auto same = std::find_if(a[i].folds.begin(), a[i].folds.end(), [&](const Fold &other) {
        return other.into == fold.into && other.part == fold.part;
      });
      if (same == a[i].folds.end())
        a[i].folds.push_back(fold);
      else
        same->rows += fold.rows;
    }
  }
  return a;
}

void append(std::vector<Step> &steps, std::vector<Step> more) {
  steps.insert(steps.end(), more.begin(), more.end());
}

/// Returns a step in which each member sends row \p from to all others, into rows \p to + distance.
Step toAll(unsigned members, unsigned from) {
  Step step;
  for (unsigned shift = 1; shift < members; ++shift)
    step.moves.push_back({from, shift, shift, Part::All});
  return step;
}

std::vector<Step> reductionSteps(Method method, unsigned members) {
  if (members == 1)
    return {};
  const Arcs arcs(members);
  const unsigned all = members - 1, half = members / 2;
  switch (method) {
  case Method::ClockwiseRing:
    return arcs.reduce(Direction::Clockwise, all, members, Part::All);
  case Method::AnticlockwiseRing:
    return arcs.reduce(Direction::Anticlockwise, all, members, Part::All);
  case Method::BidirectionalRingPair:
    return together(arcs.reduce(Direction::Clockwise, all, members, Part::FirstHalf),
                    arcs.reduce(Direction::Anticlockwise, all, members, Part::SecondHalf));
  case Method::MeetInMiddleRing:
    return together(arcs.reduce(Direction::Clockwise, half, members, Part::All),
                    arcs.reduce(Direction::Anticlockwise, all - half, members + 1, Part::All));
  case Method::Direct:
  case Method::Broadcast:
  case Method::Hierarchical:
    break;
  }
  Step step;
  for (unsigned distance = 1; distance < members; ++distance)
    step.moves.push_back({distance, members + distance - 1, members - distance, Part::All});
  step.folds = {{0, members, members - 1, Part::All}};
  return {step};
}

std::vector<Step> gatherSteps(Method method, unsigned members) {
  const Arcs arcs(members);
  const unsigned all = members - 1, half = members / 2;
  switch (method) {
  case Method::ClockwiseRing:
    return arcs.gather(Direction::Clockwise, all, Part::All);
  case Method::AnticlockwiseRing:
    return arcs.gather(Direction::Anticlockwise, all, Part::All);
  case Method::BidirectionalRingPair:
    return together(arcs.gather(Direction::Clockwise, all, Part::FirstHalf),
                    arcs.gather(Direction::Anticlockwise, all, Part::SecondHalf));
  case Method::MeetInMiddleRing:
    return together(arcs.gather(Direction::Clockwise, half, Part::All),
                    arcs.gather(Direction::Anticlockwise, all - half, Part::All));
  case Method::Direct:
  case Method::Broadcast:
  case Method::Hierarchical:
    break;
  }
  return {toAll(members, 0)};
}

unsigned receiveRows(Method method, unsigned members) {
  switch (method) {
  case Method::ClockwiseRing:
  case Method::AnticlockwiseRing:
  case Method::BidirectionalRingPair:
    return 1;
  case Method::MeetInMiddleRing:
    return 2;
  case Method::Direct:
  case Method::Broadcast:
  case Method::Hierarchical:
    break;
  }
  return members - 1;
}

Step reorder(unsigned firstRow) {
  Step step;
  step.reorders = {firstRow};
  return step;
}

} // namespace

std::string nameOf(Method method) {
  switch (method) {
  case Method::ClockwiseRing:
    return "clockwise_ring";
  case Method::AnticlockwiseRing:
    return "anticlockwise_ring";
  case Method::BidirectionalRingPair:
    return "bidirectional_ring_pair";
  case Method::MeetInMiddleRing:
    return "meet_in_middle_ring";
  case Method::Direct:
    return "direct";
  case Method::Broadcast:
    return "broadcast";
  case Method::Hierarchical:
    break;
  }
  return "hierarchical";
}

Plan reduceScatterPlan(Method method, unsigned members) {
  Plan plan{members, members + receiveRows(method, members), false, {reorder(0)}};
  append(plan.steps, reductionSteps(method, members));
  plan.steps.back().finishes = true;
  return plan;
}

Plan allGatherPlan(Method method, unsigned members) {
  Plan plan{members, members, true, gatherSteps(method, members)};
  plan.steps.push_back(reorder(0));
  return plan;
}

Plan allReducePlan(Method method, unsigned members) {
  if (method == Method::Broadcast) {
    Plan plan{members, members, true, {toAll(members, 0), reorder(0)}};
    if (members > 1)
      plan.steps.back().folds = {{0, 1, members - 1, Part::All}};
    plan.steps.back().finishes = true;
    return plan;
  }
  Plan plan = reduceScatterPlan(method, members);
  append(plan.steps, gatherSteps(method, members));
  plan.steps.push_back(reorder(0));
  return plan;
}

std::pair<Plan, Plan> splitAtResult(const Plan &plan) {
  std::pair<Plan, Plan> parts{plan, plan};
  const auto finish = std::find_if(plan.steps.begin(), plan.steps.end(),
                                   [](const Step &step) { return step.finishes; });
  parts.first.steps.assign(plan.steps.begin(), finish + 1);
  parts.second.steps.assign(finish + 1, plan.steps.end());
  return parts;
}

Plan allToAllPlan(unsigned members) {
  // Reordered row i is for the member i positions before. The data that a row receives comes from
  // the member i positions after, which is members - i before.
  Step exchange = reorder(0);
  exchange.copies = {{0, members}};
  for (unsigned distance = 1; distance < members; ++distance)
    exchange.moves.push_back({distance, 2 * members - distance, members - distance, Part::All});
  return {members, 2 * members, false, {exchange, reorder(members)}};
}

} // namespace gcl
