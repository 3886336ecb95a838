#include "popsolver/search.hpp"

#include <algorithm>
#include <utility>

namespace gccs::popsolver {
namespace {

// Two constraints, such as a < b and b <= a, can narrow each other until their variables have no
// values left. Narrowing may stop at any time, as long as a solution is checked in the end.
constexpr std::uint32_t kMostLooks = 50; // evaluations of a constraint in each narrowing

} // namespace

Search::Search(const std::vector<Bounds> &bounds, const Constraints &constraints, Groups groups,
               std::vector<Variable> objectives)
    : domains_(bounds), constraints_(constraints), groups_(std::move(groups)),
      objectives_(std::move(objectives)), constraintsOf_(bounds.size()),
      isQueued_(constraints.size()), looks_(constraints.size()) {
  for (std::uint32_t c = 0; c < constraints.size(); ++c)
    for (const Variable v : constraints[c]->variables())
      if (auto &its = constraintsOf_[v.id]; its.empty() || its.back() != c)
        its.push_back(c);
}

Solution Search::best() {
  for (std::uint32_t c = 0; c < constraints_.size(); ++c)
    queue(c);
  if (narrow())
    tryValues();
  return found_ ? Solution(std::move(best_), evaluated_) : Solution(evaluated_);
}

/// Tries the values of a variable. The state must be narrowed; it is narrower afterwards.
void Search::tryValues() {
  const Variable *const variable = next();
  if (variable == nullptr)
    return keepSolution();
  while (true) {
    const Value value = domains_.min(*variable);
    const Domains::Moment before = domains_.now();
    if (domains_.fix(*variable, value) && narrow())
      tryValues();
    domains_.goBackTo(before);
    if (value == domains_.max(*variable) || !domains_.atLeast(*variable, value + 1) || !narrow())
      return;
  }
}

/// Returns a variable without a value of the first group that has one. The variable with the fewest
/// values is chosen, because it shows soonest what is impossible.
const Variable *Search::next() const {
  for (const auto &group : groups_) {
    const Variable *fewest = nullptr;
    Value most = 0;
    for (const Variable &v : group)
      if (const Value width = domains_.max(v) - domains_.min(v);
          width > 0 && (fewest == nullptr || width < most)) {
        fewest = &v;
        most = width;
      }
    if (fewest != nullptr)
      return fewest;
  }
  return nullptr;
}

/// \returns false if the state has no solution that is better than the best so far
bool Search::narrow() {
  do {
    if (!narrowQueued() || !narrowToBetter()) {
      dropQueue();
      return false;
    }
  } while (!domains_.changed().empty());
  return true;
}

bool Search::narrowQueued() {
  queueConstraintsOfChanged();
  std::fill(looks_.begin(), looks_.end(), 0);
  while (!queue_.empty() || !calls_.empty()) {
    auto &queue = queue_.empty() ? calls_ : queue_;
    const std::uint32_t c = queue.back();
    queue.pop_back();
    isQueued_[c] = false;
    if (++looks_[c] > kMostLooks) {
      isCut_ = true;
      continue;
    }
    ++(&queue == &calls_ ? evaluated_.call : evaluated_.other);
    if (!constraints_[c]->narrow(domains_))
      return false;
    queueConstraintsOfChanged();
  }
  return true;
}

/// Excludes solutions that are no better than the best so far. The first objective that can still
/// be better ends this, because later objectives are free then.
bool Search::narrowToBetter() {
  if (!found_)
    return true;
  for (const Variable objective : objectives_) {
    const Value best = *best_[objective.id];
    if (!domains_.atMost(objective, best))
      return false;
    if (domains_.min(objective) < best)
      return true;
  }
  return false;
}

void Search::queueConstraintsOfChanged() {
  for (const Variable v : domains_.changed())
    for (const std::uint32_t c : constraintsOf_[v.id])
      queue(c);
  domains_.changed().clear();
}

void Search::queue(std::uint32_t constraint) {
  if (!std::exchange(isQueued_[constraint], true))
    (constraints_[constraint]->isCall() ? calls_ : queue_).push_back(constraint);
}

void Search::dropQueue() {
  for (auto *const queue : {&queue_, &calls_}) {
    for (const std::uint32_t c : *queue)
      isQueued_[c] = false;
    queue->clear();
  }
  domains_.changed().clear();
}

void Search::keepSolution() {
  if (isCut_ && !allHold())
    return;
  best_.clear();
  for (std::uint32_t id = 0; id < constraintsOf_.size(); ++id)
    best_.emplace_back(domains_.min(Variable(id)));
  found_ = true;
}

/// Returns true if all constraints hold. All variables must be fixed.
bool Search::allHold() {
  return std::all_of(constraints_.begin(), constraints_.end(),
                     [this](const auto &constraint) { return constraint->narrow(domains_); });
}

} // namespace gccs::popsolver
