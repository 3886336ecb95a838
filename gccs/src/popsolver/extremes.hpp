#pragma once

#include "popsolver/constraint.hpp"

namespace gccs::popsolver {

/// result = the greatest of the operands, of which there is one at least
class Greatest : public Constraint {
public:
  Greatest(Variable result, std::vector<Variable> operands);
  bool narrow(Domains &domains) const override;

private:
  Variable result_;
  std::vector<Variable> operands_;
};

/// result = the least of the operands, of which there is one at least
class Least : public Constraint {
public:
  Least(Variable result, std::vector<Variable> operands);
  bool narrow(Domains &domains) const override;

private:
  Variable result_;
  std::vector<Variable> operands_;
};

} // namespace gccs::popsolver
