#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar {

/// Which floating-point events stop the program, and how numbers are rounded.
struct FloatingPointBehaviour {
  FloatingPointBehaviour(bool invalid = true, bool divideByZero = true, bool overflow = true,
                         bool stochasticRounding = true, bool nanOnOverflow = true)
      : inv(invalid), div0(divideByZero), oflo(overflow), esr(stochasticRounding),
        nanoo(nanOnOverflow) {}

  bool inv;   ///< an invalid operation stops the program
  bool div0;  ///< so does a division by zero
  bool oflo;  ///< so does an overflow
  bool esr;   ///< halves are rounded stochastically
  bool nanoo; ///< a half that overflows becomes NaN, not the largest number

  FloatingPointBehaviour operator!() const {
    return FloatingPointBehaviour(!inv, !div0, !oflo, !esr, !nanoo);
  }
};

} // namespace poplar
