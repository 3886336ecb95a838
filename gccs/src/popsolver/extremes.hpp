#pragma once

#include "popsolver/constraint.hpp"

namespace gccs::popsolver {

/// The greatest of the operands, of which there is one at least.
class Greatest : public FunctionOfOperands {
public:
  using FunctionOfOperands::FunctionOfOperands;
  bool narrow(Domains &domains) const override;
};

/// The least of the operands, of which there is one at least.
class Least : public FunctionOfOperands {
public:
  using FunctionOfOperands::FunctionOfOperands;
  bool narrow(Domains &domains) const override;
};

} // namespace gccs::popsolver
