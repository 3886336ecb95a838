#pragma once

#include "gccs/popsolver/Solution.hpp"
#include "popsolver/constraint.hpp"

#include <memory>
#include <vector>

namespace gccs::popsolver {

/// Finds the best values of variables by branch and bound. The search tries the values of one
/// variable after another, lets constraints exclude values of the others, and skips states that
/// cannot be better than the best solution so far.
class Search {
public:
  using Constraints = std::vector<std::unique_ptr<Constraint>>;
  using Groups = std::vector<std::vector<Variable>>;

  /// \param groups  all variables; the variables of a group get their values before the next group
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
  std::vector<std::vector<std::uint32_t>> constraintsOf_; ///< by variable
  std::vector<std::uint32_t> queue_;                      ///< constraints to evaluate
  /// Constraints that may take long, evaluated after all others.
  std::vector<std::uint32_t> calls_;
  std::vector<char> isQueued_;       ///< by constraint
  std::vector<std::uint32_t> looks_; ///< evaluations of each constraint in this narrowing
  std::vector<DataType> best_;       ///< values of all variables; empty before the first solution
  bool found_ = false;
  bool isCut_ = false; ///< narrowing has stopped early
  ConstraintEvaluationSummary evaluated_;
};

} // namespace gccs::popsolver
