#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace copse::compiler {

/// Steps [first, last] of the programs, which are numbered consecutively.
struct LiveInterval {
  std::uint32_t first = 0, last = 0;
  friend auto operator<=>(const LiveInterval &, const LiveInterval &) = default;
};

/// The times at which memory contents are needed. Equal sets of intervals share an id: there are
/// many temporaries, but few different sets.
class LiveRanges {
public:
  using Id = std::uint32_t;
  static constexpr Id kAlways = std::numeric_limits<Id>::max();
  static constexpr Id kNever = kAlways - 1; ///< not used by any program

  /// \param intervals  non-empty, ascending, disjoint
  Id add(std::vector<LiveInterval> intervals);

  /// Returns true if both may be needed at one time. Two items with kAlways may, and two with equal
  /// ids.
  bool overlap(Id a, Id b) const;

  std::uint32_t firstStep(Id id) const { return of(id).empty() ? 0 : of(id).front().first; }

  /// Ids below size() have intervals.
  Id size() const { return static_cast<Id>(first_.size() - 1); }
  /// Returns the intervals; empty for kAlways and kNever.
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
