#pragma once

#include "popsolver/constraint.hpp"

namespace gccs::popsolver {

/// Constrains left + gap <= right.
class LessOrEqual : public Constraint {
public:
  LessOrEqual(Variable left, Variable right, Value gap);
  bool narrow(Domains &domains) const override;
  bool isPossible(const Domains &domains) const; ///< for some of the remaining values

private:
  Variable left_, right_;
  Value gap_;
};

class Equal : public Constraint {
public:
  Equal(Variable left, Variable right);
  bool narrow(Domains &domains) const override;

private:
  Variable left_, right_;
};

/// Constrains result to 1 if left + gap <= right, else to 0. The gap is 0 or 1.
class IsLessOrEqual : public Constraint {
public:
  IsLessOrEqual(Variable result, Variable left, Variable right, Value gap);
  bool narrow(Domains &domains) const override;

private:
  Variable result_;
  LessOrEqual isSo_, isNotSo_;
};

/// Constrains multiple to be divisible by factor.
class FactorOf : public Constraint {
public:
  FactorOf(Variable multiple, Variable factor);
  bool narrow(Domains &domains) const override;

private:
  Variable multiple_, factor_;
};

} // namespace gccs::popsolver
