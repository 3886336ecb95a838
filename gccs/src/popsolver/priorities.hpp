#pragma once

#include "gccs/popsolver/Variable.hpp"

#include <cstdint>
#include <vector>

namespace gccs::popsolver {

/// The order in which groups of variables get their values. Group 0 is that of all variables not put into another.
class Priorities {
public:
  std::uint32_t addGroup();
  void put(Variable variable, std::uint32_t group);
  /// \returns false if the first group comes behind the later one already
  bool order(std::uint32_t first, std::uint32_t later);
  bool has(std::uint32_t group) const { return group < later_.size(); }

  /// All of \p count variables, those of each group together, groups in an order that obeys what was said.
  std::vector<std::vector<Variable>> groups(std::uint32_t count) const;

private:
  bool comesBefore(std::uint32_t first, std::uint32_t later) const;

  std::vector<std::vector<std::uint32_t>> later_{1}; ///< of each group, those that come behind it
  std::vector<std::uint32_t> groupOf_; ///< of the first variables; the others are in group 0
};

} // namespace gccs::popsolver
