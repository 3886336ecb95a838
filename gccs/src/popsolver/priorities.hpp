#pragma once

#include "gccs/popsolver/Variable.hpp"

#include <cstdint>
#include <vector>

namespace gccs::popsolver {

/// The order in which groups of variables get their values. Group 0 has all variables that were not
/// put into another group.
class Priorities {
public:
  std::uint32_t addGroup();
  void put(Variable variable, std::uint32_t group);
  /// \returns false if the first group already comes after the later one
  bool order(std::uint32_t first, std::uint32_t later);
  bool has(std::uint32_t group) const { return group < later_.size(); }

  /// Returns all of \p count variables by group. The order of the groups obeys all calls of
  /// order().
  std::vector<std::vector<Variable>> groups(std::uint32_t count) const;

private:
  bool comesBefore(std::uint32_t first, std::uint32_t later) const;

  std::vector<std::vector<std::uint32_t>> later_{1}; ///< by group: the groups that come after it
  std::vector<std::uint32_t> groupOf_; ///< groups of the first variables; all others are in group 0
};

} // namespace gccs::popsolver
