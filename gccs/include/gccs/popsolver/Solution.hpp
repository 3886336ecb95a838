#pragma once

#include <cstdint>
#include <gccs/popsolver/DataType.hpp>
#include <gccs/popsolver/Variable.hpp>
#include <iosfwd>
#include <utility>
#include <vector>

namespace gccs::popsolver {

/// Counts how often a search evaluated constraints: a measure of its work that does not depend on
/// the machine.
struct ConstraintEvaluationSummary {
  /// Calls of the user's functions.
  std::uint64_t call = 0;
  /// Evaluations of all other constraints.
  std::uint64_t other = 0;

  /// Returns the sum of both.
  std::uint64_t total() const { return call + other; }
  /// Adds other counts.
  ConstraintEvaluationSummary &operator+=(const ConstraintEvaluationSummary &more) {
    call += more.call;
    other += more.other;
    return *this;
  }
};
/// Writes the counts as text.
std::ostream &operator<<(std::ostream &out, const ConstraintEvaluationSummary &summary);

/// Holds the values of a model's variables that fulfil all constraints and minimize the objectives.
/// A solution is not valid if no values fulfil the constraints.
class Solution {
public:
  /// Makes a solution that is not valid.
  Solution() = default;
  /// Makes a solution that is not valid, with counts.
  explicit Solution(ConstraintEvaluationSummary evaluated) : evaluated_(evaluated) {}
  /// Makes a solution.
  Solution(std::vector<DataType> values, ConstraintEvaluationSummary evaluated)
      : values_(std::move(values)), valid_(true), evaluated_(evaluated) {}

  /// Returns true if there are values.
  bool validSolution() const { return valid_; }
  /// Returns the value of a variable.
  /// \throws std::out_of_range if the solution is not valid, or belongs to a model without this
  ///   variable
  DataType operator[](Variable variable) const { return values_.at(variable.id); }
  /// Returns how often constraints were evaluated.
  const ConstraintEvaluationSummary &constraintsEvaluated() const { return evaluated_; }

private:
  std::vector<DataType> values_; ///< a value per variable; empty in an invalid solution
  bool valid_ = false;
  ConstraintEvaluationSummary evaluated_;
};

} // namespace gccs::popsolver
