#pragma once

#include "popsolver/constraint.hpp"

namespace gccs::popsolver {

/// result = the sum of the terms
class Sum : public Constraint {
public:
  Sum(Variable result, std::vector<Variable> terms);
  bool narrow(Domains &domains) const override;

private:
  Variable result_;
  std::vector<Variable> terms_;
};

/// result = the product of the factors
class Product : public Constraint {
public:
  Product(Variable result, std::vector<Variable> factors);
  bool narrow(Domains &domains) const override;

private:
  bool narrowFactors(Domains &domains) const;

  Variable result_;
  std::vector<Variable> factors_;
};

} // namespace gccs::popsolver
