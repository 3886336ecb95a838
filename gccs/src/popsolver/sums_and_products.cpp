#include "popsolver/sums_and_products.hpp"

#include "gccs/Algorithm.hpp"
#include "popsolver/wide.hpp"

namespace gccs::popsolver {

bool Sum::narrow(Domains &domains) const {
  Wide least = 0, most = 0; // exact: there are fewer than 2^64 terms
  for (const Variable term : operands_) {
    least += domains.min(term);
    most += domains.max(term);
  }
  if (!atLeast(domains, result_, least) || !domains.atMost(result_, atMostAValue(most)))
    return false;
  for (const Variable term : operands_) {
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

bool Product::narrow(Domains &domains) const {
  Wide least = 1, most = 1;
  for (const Variable factor : operands_) {
    least = times(least, domains.min(factor));
    most = times(most, domains.max(factor));
  }
  return atLeast(domains, result_, least) && domains.atMost(result_, atMostAValue(most)) &&
         narrowFactors(domains);
}

bool Product::narrowFactors(Domains &domains) const {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (domains.isFixed(operands_[i]))
      continue;
    Wide least = 1, most = 1; // product of the other operands
    for (std::size_t j = 0; j < operands_.size(); ++j)
      if (j != i) {
        least = times(least, domains.min(operands_[j]));
        most = times(most, domains.max(operands_[j]));
      }
    if (least > 0 && !domains.atMost(operands_[i], Value(domains.max(result_) / least)))
      return false;
    if (const Value result = domains.min(result_);
        result > 0 &&
        (most == 0 || !domains.atLeast(operands_[i], ceildiv(result, atMostAValue(most)))))
      return false;
  }
  return true;
}

} // namespace gccs::popsolver
