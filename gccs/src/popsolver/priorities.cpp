#include "popsolver/priorities.hpp"

#include <algorithm>

namespace gccs::popsolver {

std::uint32_t Priorities::addGroup() {
  later_.emplace_back();
  return static_cast<std::uint32_t>(later_.size() - 1);
}

void Priorities::put(Variable variable, std::uint32_t group) {
  if (groupOf_.size() <= variable.id)
    groupOf_.resize(variable.id + 1);
  groupOf_[variable.id] = group;
}

bool Priorities::order(std::uint32_t first, std::uint32_t later) {
  if (first == later || comesBefore(later, first))
    return false;
  later_[first].push_back(later);
  return true;
}

bool Priorities::comesBefore(std::uint32_t first, std::uint32_t later) const {
  return std::any_of(later_[first].begin(), later_[first].end(),
                     [&](std::uint32_t next) { return next == later || comesBefore(next, later); });
}

std::vector<std::vector<Variable>> Priorities::groups(std::uint32_t count) const {
  std::vector<std::vector<Variable>> members(later_.size());
  for (std::uint32_t id = 0; id < count; ++id)
    members[id < groupOf_.size() ? groupOf_[id] : 0].emplace_back(id);

  std::vector<std::uint32_t> before(
      later_.size()); // number of earlier groups that have not been taken
  for (const auto &later : later_)
    for (const std::uint32_t group : later)
      ++before[group];
  std::vector<std::vector<Variable>> ordered;
  while (ordered.size() < later_.size()) {
    // One exists, as there are no cycles.
    const auto next = std::find(before.begin(), before.end(), 0u);
    *next = ~0u; // marks the group as taken
    const auto group = static_cast<std::size_t>(next - before.begin());
    for (const std::uint32_t later : later_[group])
      --before[later];
    ordered.push_back(std::move(members[group]));
  }
  return ordered;
}

} // namespace gccs::popsolver
