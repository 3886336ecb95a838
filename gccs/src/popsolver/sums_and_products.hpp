#pragma once

#include "popsolver/constraint.hpp"

namespace gccs::popsolver {

class Sum : public FunctionOfOperands {
public:
  using FunctionOfOperands::FunctionOfOperands;
  bool narrow(Domains &domains) const override;
};

class Product : public FunctionOfOperands {
public:
  using FunctionOfOperands::FunctionOfOperands;
  bool narrow(Domains &domains) const override;

private:
  bool narrowFactors(Domains &domains) const;
};

} // namespace gccs::popsolver
