#pragma once

#include "popsolver/constraint.hpp"

namespace gccs::popsolver {

/// result = some quotient, or remainder, of dividend and divisor
class Division : public Constraint {
public:
  Division(Variable result, Variable dividend, Variable divisor)
      : Constraint({dividend, divisor, result}), result_(result), dividend_(dividend),
        divisor_(divisor) {}

protected:
  const Variable result_, dividend_, divisor_;
};

/// The quotient, rounded down.
class FloorDivision : public Division {
public:
  using Division::Division;
  bool narrow(Domains &domains) const override;
};

/// The quotient, rounded up.
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

/// No divisor below this one gives dividend / divisor, rounded up.
class LeastDivisor : public Constraint {
public:
  LeastDivisor(Variable dividend, Variable divisor);
  bool narrow(Domains &domains) const override;

private:
  Variable dividend_, divisor_;
};

} // namespace gccs::popsolver
