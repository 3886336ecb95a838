#include "popsolver/extremes.hpp"

#include <algorithm>

namespace gccs::popsolver {

bool Greatest::narrow(Domains &domains) const {
  Bounds bounds{0, 0};
  for (const Variable operand : operands_)
    bounds = {std::max(bounds.min, domains.min(operand)),
              std::max(bounds.max, domains.max(operand))};
  if (!domains.within(result_, bounds))
    return false;
  unsigned canReach = 0;
  Variable reaching;
  for (const Variable operand : operands_) {
    if (!domains.atMost(operand, domains.max(result_)))
      return false;
    if (domains.max(operand) >= domains.min(result_)) {
      ++canReach;
      reaching = operand;
    }
  }
  return canReach > 1 || (canReach == 1 && domains.atLeast(reaching, domains.min(result_)));
}

bool Least::narrow(Domains &domains) const {
  Bounds bounds{domains.min(operands_.front()), domains.max(operands_.front())};
  for (const Variable operand : operands_)
    bounds = {std::min(bounds.min, domains.min(operand)),
              std::min(bounds.max, domains.max(operand))};
  if (!domains.within(result_, bounds))
    return false;
  unsigned canReach = 0;
  Variable reaching;
  for (const Variable operand : operands_) {
    if (!domains.atLeast(operand, domains.min(result_)))
      return false;
    if (domains.min(operand) <= domains.max(result_)) {
      ++canReach;
      reaching = operand;
    }
  }
  return canReach > 1 || (canReach == 1 && domains.atMost(reaching, domains.max(result_)));
}

} // namespace gccs::popsolver
