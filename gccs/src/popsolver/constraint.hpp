#pragma once

#include "popsolver/domains.hpp"

#include <utility>
#include <vector>

namespace gccs::popsolver {

/// A relation between a few variables that holds in every solution.
class Constraint {
public:
  /// \param variables  variables whose changes may let narrow() exclude more values
  explicit Constraint(std::vector<Variable> variables) : variables_(std::move(variables)) {}
  virtual ~Constraint() = default;

  /// Excludes values that are impossible within the other variables' bounds. The function never
  /// excludes a possible value, and is exact if all variables but one are fixed, but need not
  /// exclude all impossible values.
  /// \returns false if no values are left
  virtual bool narrow(Domains &domains) const = 0;
  virtual bool isCall() const { return false; }

  const std::vector<Variable> &variables() const { return variables_; }

private:
  std::vector<Variable> variables_;
};

/// Constrains result to a function of any number of operands.
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
