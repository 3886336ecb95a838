#pragma once

#include "gccs/popsolver/Solution.hpp"
#include "popsolver/constraint.hpp"

#include <memory>
#include <vector>

namespace gccs::popsolver {

/// Finds the best values of variables by branch and bound: a variable gets its values one after another, constraints take
/// values of others away, and what cannot be better than the best solution so far is left out.
class Search {
public:
  using Constraints = std::vector<std::unique_ptr<Constraint>>;
  using Groups = std::vector<std::vector<Variable>>;

  /// \p groups  all variables; those of a group get their values before those of the next
  Search(const std::vector<Bounds> &bounds, const Constraints &constraints, Groups groups,
         std::vector<Variable> objectives);
  Solution best();

private:
  void tryValues();
  const Variable *next() const;
  bool narrow();
  bool narrowQueued();
  bool narrowToBetter();
  void queueConstraintsOfChanged();
  void queue(std::uint32_t constraint);
  void dropQueue();
  void keepSolution();
  bool allHold();

  Domains domains_;
  const Constraints &constraints_;
  Groups groups_;
  std::vector<Variable> objectives_;
  std::vector<std::vector<std::uint32_t>> constraintsOf_; ///< of each variable
  std::vector<std::uint32_t> queue_;                      ///< constraints to look at
  std::vector<std::uint32_t> calls_; ///< those that may take long, so after all others
  std::vector<char> isQueued_;       ///< of each constraint
  std::vector<std::uint32_t> looks_; ///< at each constraint, in this narrowing
  std::vector<DataType> best_;       ///< values of all variables; none before the first solution
  bool found_ = false;
  bool isCut_ = false; ///< narrowing has ended before its end
  ConstraintEvaluationSummary evaluated_;
};

} // namespace gccs::popsolver
