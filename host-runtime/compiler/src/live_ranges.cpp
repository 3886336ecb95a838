#include "compiler/live_ranges.hpp"

namespace copse::compiler {

LiveRanges::Id LiveRanges::add(std::vector<LiveInterval> intervals) {
  const auto id = static_cast<Id>(first_.size() - 1);
  const auto [entry, isNew] = known_.try_emplace(std::move(intervals), id);
  if (isNew) {
    intervals_.insert(intervals_.end(), entry->first.begin(), entry->first.end());
    first_.push_back(intervals_.size());
  }
  return entry->second;
}

bool LiveRanges::overlap(Id a, Id b) const {
  if (a == kNever || b == kNever)
    return false;
  if (a == kAlways || b == kAlways || a == b)
    return true;
  const auto ofA = of(a), ofB = of(b);
  for (std::size_t i = 0, j = 0; i < ofA.size() && j < ofB.size();) {
    if (ofA[i].last < ofB[j].first)
      ++i;
    else if (ofB[j].last < ofA[i].first)
      ++j;
    else
      return true;
  }
  return false;
}

} // namespace copse::compiler
