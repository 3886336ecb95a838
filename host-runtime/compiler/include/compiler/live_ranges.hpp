#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace copse::compiler {

/// Steps [first, last] of the programs, which are numbered one after another.
struct LiveInterval {
  std::uint32_t first = 0, last = 0;
  friend auto operator<=>(const LiveInterval &, const LiveInterval &) = default;
};

/// When the contents of memory matter. Equal sets of intervals have one number: temporaries that
/// come and go together are many, their sets few.
class LiveRanges {
public:
  using Id = std::uint32_t;
  static constexpr Id kAlways = std::numeric_limits<Id>::max();
  static constexpr Id kNever = kAlways - 1; ///< of what no program runs or uses

  /// \param intervals  not empty, ascending, disjoint
  Id add(std::vector<LiveInterval> intervals);

  /// May the two be needed at the same time? Two of kAlways may, and two of one number.
  bool overlap(Id a, Id b) const;

  std::uint32_t firstStep(Id id) const { return of(id).empty() ? 0 : of(id).front().first; }

  /// Numbers below this have intervals of their own.
  Id size() const { return static_cast<Id>(first_.size() - 1); }
  /// Empty for kAlways and kNever.
  std::span<const LiveInterval> of(Id id) const {
    if (id == kAlways || id == kNever)
      return {};
    return {intervals_.data() + first_[id], first_[id + 1] - first_[id]};
  }

private:
  std::vector<std::size_t> first_{0}; ///< shape [ids + 1], into intervals_
  std::vector<LiveInterval> intervals_;
  std::map<std::vector<LiveInterval>, Id> known_;
};

} // namespace copse::compiler
