#pragma once

#include "gccs/popsolver/DataType.hpp"
#include "popsolver/constraint.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace gccs::popsolver {

/// Constrains result to the value of a user's function of the arguments.
class UserFunction : public Constraint {
public:
  using Function = std::function<std::optional<DataType>(const std::vector<DataType> &)>;

  UserFunction(Variable result, std::vector<Variable> arguments, Function function);
  bool narrow(Domains &domains) const override;
  bool isCall() const override { return true; }

private:
  Variable result_;
  std::vector<Variable> arguments_;
  Function function_;
};

} // namespace gccs::popsolver
