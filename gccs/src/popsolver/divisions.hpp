#pragma once

#include "popsolver/constraint.hpp"

namespace gccs::popsolver {

/// result = dividend / divisor, rounded down
class FloorDivision : public Constraint {
public:
  FloorDivision(Variable result, Variable dividend, Variable divisor);
  bool narrow(Domains &domains) const override;

private:
  Variable result_, dividend_, divisor_;
};

/// result = dividend / divisor, rounded up
class CeilDivision : public Constraint {
public:
  CeilDivision(Variable result, Variable dividend, Variable divisor);
  bool narrow(Domains &domains) const override;

private:
  Variable result_, dividend_, divisor_;
};

/// No divisor below this one gives dividend / divisor, rounded up.
class LeastDivisor : public Constraint {
public:
  LeastDivisor(Variable dividend, Variable divisor);
  bool narrow(Domains &domains) const override;

private:
  Variable dividend_, divisor_;
};

/// result = what the division of dividend by divisor leaves
class Remainder : public Constraint {
public:
  Remainder(Variable result, Variable dividend, Variable divisor);
  bool narrow(Domains &domains) const override;

private:
  Variable result_, dividend_, divisor_;
};

} // namespace gccs::popsolver
