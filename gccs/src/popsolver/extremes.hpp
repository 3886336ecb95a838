#pragma once

#include "popsolver/constraint.hpp"

namespace gccs::popsolver {

/// Constrains result to the greatest of the operands. There must be at least one.
class Greatest : public FunctionOfOperands {
public:
  using FunctionOfOperands::FunctionOfOperands;
  bool narrow(Domains &domains) const override;
};

/// Constrains result to the least of the operands. There must be at least one.
class Least : public FunctionOfOperands {
public:
  using FunctionOfOperands::FunctionOfOperands;
  bool narrow(Domains &domains) const override;
};

} // namespace gccs::popsolver
