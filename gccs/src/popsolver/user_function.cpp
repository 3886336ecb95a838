#include "popsolver/user_function.hpp"

namespace gccs::popsolver {

UserFunction::UserFunction(Variable result, std::vector<Variable> arguments, Function function)
    : Constraint(arguments), result_(result), arguments_(std::move(arguments)),
      function_(std::move(function)) {}

bool UserFunction::narrow(Domains &domains) const {
  std::vector<DataType> values;
  values.reserve(arguments_.size());
  for (const Variable argument : arguments_) {
    if (!domains.isFixed(argument))
      return true;
    values.emplace_back(domains.min(argument));
  }
  const auto result = function_(values);
  return result && domains.fix(result_, **result);
}

} // namespace gccs::popsolver
