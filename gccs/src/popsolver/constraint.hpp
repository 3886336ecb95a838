#pragma once

#include "popsolver/domains.hpp"

#include <utility>
#include <vector>

namespace gccs::popsolver {

/// Holds between a few variables of each solution.
class Constraint {
public:
  /// \p variables  those whose changes allow to say more
  explicit Constraint(std::vector<Variable> variables) : variables_(std::move(variables)) {}
  virtual ~Constraint() = default;

  /// Takes values away that cannot be, judged by the others' bounds; sound, and exact once all but one are fixed, but not
  /// the most that could be said. \returns false if no values are left
  virtual bool narrow(Domains &domains) const = 0;
  virtual bool isCall() const { return false; }

  const std::vector<Variable> &variables() const { return variables_; }

private:
  std::vector<Variable> variables_;
};

/// result = some function of any number of operands
class FunctionOfOperands : public Constraint {
public:
  FunctionOfOperands(Variable result, std::vector<Variable> operands)
      : Constraint(withResult(operands, result)), result_(result), operands_(std::move(operands)) {}

protected:
  const Variable result_;
  const std::vector<Variable> operands_;

private:
  static std::vector<Variable> withResult(std::vector<Variable> operands, Variable result) {
    operands.push_back(result);
    return operands;
  }
};

} // namespace gccs::popsolver
