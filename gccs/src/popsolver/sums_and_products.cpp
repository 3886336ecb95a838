#include "popsolver/sums_and_products.hpp"

#include "popsolver/wide.hpp"

namespace gccs::popsolver {

Sum::Sum(Variable result, std::vector<Variable> terms)
    : Constraint(withResult(terms, result)), result_(result), terms_(std::move(terms)) {}

bool Sum::narrow(Domains &domains) const {
  Wide least = 0, most = 0; // exact: there are fewer than 2^64 terms
  for (const Variable term : terms_) {
    least += domains.min(term);
    most += domains.max(term);
  }
  if (!atLeast(domains, result_, least) || !domains.atMost(result_, atMostAValue(most)))
    return false;
  for (const Variable term : terms_) {
    const Bounds its{domains.min(term), domains.max(term)};
    const Wide othersLeast = least - its.min, othersMost = most - its.max;
    const Value resultLeast = domains.min(result_), resultMost = domains.max(result_);
    if (othersLeast > resultMost || !domains.atMost(term, Value(resultMost - othersLeast)))
      return false;
    if (resultLeast > othersMost && !domains.atLeast(term, Value(resultLeast - othersMost)))
      return false;
    least = othersLeast + domains.min(term);
    most = othersMost + domains.max(term);
  }
  return true;
}

Product::Product(Variable result, std::vector<Variable> factors)
    : Constraint(withResult(factors, result)), result_(result), factors_(std::move(factors)) {}

bool Product::narrow(Domains &domains) const {
  Wide least = 1, most = 1;
  for (const Variable factor : factors_) {
    least = times(least, domains.min(factor));
    most = times(most, domains.max(factor));
  }
  return atLeast(domains, result_, least) && domains.atMost(result_, atMostAValue(most)) &&
         narrowFactors(domains);
}

bool Product::narrowFactors(Domains &domains) const {
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    if (domains.isFixed(factors_[i]))
      continue;
    Wide least = 1, most = 1; // of the others
    for (std::size_t j = 0; j < factors_.size(); ++j)
      if (j != i) {
        least = times(least, domains.min(factors_[j]));
        most = times(most, domains.max(factors_[j]));
      }
    if (least > 0 && !domains.atMost(factors_[i], Value(domains.max(result_) / least)))
      return false;
    if (const Value result = domains.min(result_);
        result > 0 &&
        (most == 0 || !domains.atLeast(factors_[i], Value(ceilOf(Wide(result), most)))))
      return false;
  }
  return true;
}

} // namespace gccs::popsolver
