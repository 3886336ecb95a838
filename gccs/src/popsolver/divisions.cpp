#include "popsolver/divisions.hpp"

#include "gccs/Algorithm.hpp"
#include "popsolver/wide.hpp"

namespace gccs::popsolver {

bool FloorDivision::narrow(Domains &d) const {
  if (!d.atLeast(divisor_, 1) || !d.atLeast(result_, d.min(dividend_) / d.max(divisor_)) ||
      !d.atMost(result_, d.max(dividend_) / d.min(divisor_)))
    return false;
  // result * divisor <= dividend < (result + 1) * divisor
  const Wide above = times(Wide(d.max(result_)) + 1, d.max(divisor_));
  if (!atLeast(d, dividend_, times(d.min(result_), d.min(divisor_))) ||
      !d.atMost(dividend_, atMostAValue(above - 1)))
    return false;
  return (d.min(result_) == 0 || d.atMost(divisor_, d.max(dividend_) / d.min(result_))) &&
         atLeast(d, divisor_, d.min(dividend_) / (Wide(d.max(result_)) + 1) + 1);
}

bool CeilDivision::narrow(Domains &d) const {
  if (!d.atLeast(divisor_, 1) || !d.atLeast(result_, ceildiv(d.min(dividend_), d.max(divisor_))) ||
      !d.atMost(result_, ceildiv(d.max(dividend_), d.min(divisor_))))
    return false;
  // (result - 1) * divisor < dividend <= result * divisor
  if (!d.atMost(dividend_, atMostAValue(times(d.max(result_), d.max(divisor_)))))
    return false;
  if (d.min(result_) > 0 && !atLeast(d, dividend_, times(d.min(result_) - 1, d.min(divisor_)) + 1))
    return false;
  if (d.min(result_) > 1 && !d.atMost(divisor_, (d.max(dividend_) - 1) / (d.min(result_) - 1)))
    return false;
  return d.max(result_) == 0 || d.atLeast(divisor_, ceildiv(d.min(dividend_), d.max(result_)));
}

LeastDivisor::LeastDivisor(Variable dividend, Variable divisor)
    : Constraint({dividend, divisor}), dividend_(dividend), divisor_(divisor) {}

/// Raises the smallest divisor of a fixed dividend to the next one whose quotient no smaller
/// divisor has.
bool LeastDivisor::narrow(Domains &d) const {
  if (!d.atLeast(divisor_, 1))
    return false;
  if (!d.isFixed(dividend_))
    return true;
  const Value dividend = d.min(dividend_), divisor = d.min(divisor_);
  if (dividend == 0 || divisor == 1)
    return d.atMost(divisor_, dividend == 0 ? 1 : d.max(divisor_));
  const auto isLeast = [&](Value one) { return ceildiv(dividend, ceildiv(dividend, one)) == one; };
  if (!isLeast(divisor)) {
    const Value quotient = ceildiv(dividend, divisor);
    if (quotient == 1 || !d.atLeast(divisor_, ceildiv(dividend, quotient - 1)))
      return false;
  }
  return d.atMost(divisor_, ceildiv(dividend, ceildiv(dividend, d.max(divisor_))));
}

bool Remainder::narrow(Domains &d) const {
  if (!d.atLeast(divisor_, 1))
    return false;
  if (d.isFixed(dividend_) && d.isFixed(divisor_))
    return d.fix(result_, d.min(dividend_) % d.min(divisor_));
  if (d.max(dividend_) < d.min(divisor_)) // the dividend itself is the remainder
    return d.within(result_, {d.min(dividend_), d.max(dividend_)}) &&
           d.within(dividend_, {d.min(result_), d.max(result_)});
  return d.atMost(result_, d.max(divisor_) - 1) && d.atMost(result_, d.max(dividend_)) &&
         d.atLeast(dividend_, d.min(result_)) && atLeast(d, divisor_, Wide(d.min(result_)) + 1);
}

} // namespace gccs::popsolver
