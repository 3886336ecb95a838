#pragma once

#include "popsolver/constraint.hpp"

namespace gccs::popsolver {

/// Constrains result to a quotient or a remainder of dividend and divisor.
class Division : public Constraint {
public:
  Division(Variable result, Variable dividend, Variable divisor)
      : Constraint({dividend, divisor, result}), result_(result), dividend_(dividend),
        divisor_(divisor) {}

protected:
  const Variable result_, dividend_, divisor_;
};

/// Constrains result to the quotient, rounded down.
class FloorDivision : public Division {
public:
  using Division::Division;
  bool narrow(Domains &domains) const override;
};

/// Constrains result to the quotient, rounded up.
class CeilDivision : public Division {
public:
  using Division::Division;
  bool narrow(Domains &domains) const override;
};

class Remainder : public Division {
public:
  using Division::Division;
  bool narrow(Domains &domains) const override;
};

/// Constrains divisor to the smallest one with the value of dividend / divisor, rounded up.
class LeastDivisor : public Constraint {
public:
  LeastDivisor(Variable dividend, Variable divisor);
  bool narrow(Domains &domains) const override;

private:
  Variable dividend_, divisor_;
};

} // namespace gccs::popsolver
