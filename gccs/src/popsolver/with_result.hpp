#pragma once

#include "gccs/popsolver/Variable.hpp"

#include <vector>

namespace gccs::popsolver {

/// The variables of a constraint that has a result.
inline std::vector<Variable> withResult(std::vector<Variable> operands, Variable result) {
  operands.push_back(result);
  return operands;
}

} // namespace gccs::popsolver
