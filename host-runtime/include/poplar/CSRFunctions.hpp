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

// These append to a program; what they set holds on all tiles of the graph from that point on, in
// later runs too. A load starts with everything off, or as the engine's options
// debug.floatPointOpException and debug.nanOverflowException say.
//
// Events stop programs on IPU devices only: Engine::run throws application_runtime_error, which
// names tile, vertex and event. Rounding works there and on an IPUModel. A CPU device keeps the
// state, and that is all.

void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                               const FloatingPointBehaviour &behaviour,
                               const DebugContext &debugContext = {});
/// \param behaviour  what getAndModifyFloatingPointBehaviour() gave.
/// \throws poplar_error for another shape or type
void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog, const Tensor &behaviour,
                               const DebugContext &debugContext = {});

/// Switches off the behaviour that is true in \p clear, then on the one that is true in \p set.
/// \returns the earlier behaviour: a row for each tile, to be used by setFloatingPointBehaviour() only
Tensor getAndModifyFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                          const FloatingPointBehaviour &clear,
                                          const FloatingPointBehaviour &set,
                                          const DebugContext &debugContext = {});

void setStochasticRounding(Graph &graph, program::Sequence &prog, bool enable,
                           const DebugContext &debugContext = {});

} // namespace poplar
