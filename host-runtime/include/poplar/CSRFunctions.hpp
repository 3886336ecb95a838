#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar {

/// Says which floating-point events stop the program, and how numbers are rounded.
struct FloatingPointBehaviour {
  /// Sets all flags, by default to true.
  FloatingPointBehaviour(bool invalid = true, bool divideByZero = true, bool overflow = true,
                         bool stochasticRounding = true, bool nanOnOverflow = true)
      : inv(invalid), div0(divideByZero), oflo(overflow), esr(stochasticRounding),
        nanoo(nanOnOverflow) {}

  /// True: an invalid operation stops the program.
  bool inv;
  /// True: a division by zero stops the program.
  bool div0;
  /// True: an overflow stops the program.
  bool oflo;
  /// True: halves are rounded stochastically.
  bool esr;
  /// True: a half that overflows becomes NaN, not the largest number.
  bool nanoo;

  /// Returns the flags with all values reversed.
  FloatingPointBehaviour operator!() const {
    return FloatingPointBehaviour(!inv, !div0, !oflo, !esr, !nanoo);
  }
};

/// Appends to a program: sets the behaviour on all tiles of the graph, from that point on, in later
/// runs too. After a load all flags are off, unless the engine options debug.floatPointOpException
/// and debug.nanOverflowException say otherwise.
///
/// Events stop programs on IPU devices only: Engine::run() throws application_runtime_error, which
/// names tile, vertex and event. Rounding works on IPU devices and on an IPUModel. A CPU device
/// stores the flags, but they have no effect.

void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                               const FloatingPointBehaviour &behaviour,
                               const DebugContext &debugContext = {});
/// Appends to a program: restores an earlier behaviour.
/// \param behaviour  the result of getAndModifyFloatingPointBehaviour() for this graph
/// \throws poplar_error for another tensor
void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog, const Tensor &behaviour,
                               const DebugContext &debugContext = {});

/// Appends to a program: switches off the flags that are true in \p clear, then switches on those
/// that are true in \p set.
/// \returns the earlier behaviour, a row for each tile; only setFloatingPointBehaviour() can use it
Tensor getAndModifyFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                          const FloatingPointBehaviour &clear,
                                          const FloatingPointBehaviour &set,
                                          const DebugContext &debugContext = {});

/// Appends to a program: switches stochastic rounding of halves on or off, on all tiles.
void setStochasticRounding(Graph &graph, program::Sequence &prog, bool enable,
                           const DebugContext &debugContext = {});

} // namespace poplar
