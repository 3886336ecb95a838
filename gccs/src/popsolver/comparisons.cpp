#include "popsolver/comparisons.hpp"

#include "popsolver/wide.hpp"

namespace gccs::popsolver {

LessOrEqual::LessOrEqual(Variable left, Variable right, Value gap)
    : Constraint({left, right}), left_(left), right_(right), gap_(gap) {}

bool LessOrEqual::narrow(Domains &domains) const {
  return isPossible(domains) && domains.atLeast(right_, domains.min(left_) + gap_) &&
         domains.atMost(left_, domains.max(right_) - gap_);
}

bool LessOrEqual::isPossible(const Domains &domains) const {
  return Wide(domains.min(left_)) + gap_ <= domains.max(right_);
}

Equal::Equal(Variable left, Variable right)
    : Constraint({left, right}), left_(left), right_(right) {}

bool Equal::narrow(Domains &domains) const {
  return domains.within(left_, {domains.min(right_), domains.max(right_)}) &&
         domains.within(right_, {domains.min(left_), domains.max(left_)});
}

IsLessOrEqual::IsLessOrEqual(Variable result, Variable left, Variable right, Value gap)
    : Constraint({left, right, result}), result_(result), isSo_(left, right, gap),
      isNotSo_(right, left, 1 - gap) {}

bool IsLessOrEqual::narrow(Domains &domains) const {
  if (!domains.atMost(result_, 1))
    return false;
  if (!domains.isFixed(result_)) {
    if (!isSo_.isPossible(domains))
      return domains.fix(result_, 0);
    if (!isNotSo_.isPossible(domains))
      return domains.fix(result_, 1);
    return true;
  }
  return (domains.min(result_) == 1 ? isSo_ : isNotSo_).narrow(domains);
}

FactorOf::FactorOf(Variable multiple, Variable factor)
    : Constraint({multiple, factor}), multiple_(multiple), factor_(factor) {}

bool FactorOf::narrow(Domains &domains) const {
  if (!domains.atLeast(factor_, 1))
    return false;
  if (domains.min(multiple_) > 0 && !domains.atMost(factor_, domains.max(multiple_)))
    return false;
  return !domains.isFixed(multiple_) || !domains.isFixed(factor_) ||
         domains.min(multiple_) % domains.min(factor_) == 0;
}

} // namespace gccs::popsolver
