#pragma once

// A part of a program that is there once and called with several tensors.
#include "debug_info.hpp"

#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <vector>

namespace operations {

class InPlaceFunction {
public:
  using Body = std::function<void(poplar::Tensor &, poplar::program::Sequence &)>;
  using NamedBody = std::function<void(poplar::Tensor &, poplar::program::Sequence &,
                                       const poplar::DebugNameAndId &)>;

  InPlaceFunction(poplar::Graph &graph, const poplar::Tensor &similar, Body body,
                  bool inlined = false, const poplar::DebugContext &debugContext = {})
      : InPlaceFunction(
            graph, similar,
            [&](poplar::Tensor &t, poplar::program::Sequence &prog,
                const poplar::DebugNameAndId &) { body(t, prog); },
            inlined, debugContext) {}
  InPlaceFunction(poplar::Graph &graph, const poplar::Tensor &similar, NamedBody body,
                  bool inlined = false, const poplar::DebugContext &debugContext = {})
      : inlined_(inlined) {
    OperationInfo di(debugContext, {OPERATIONS_ARG(inlined)});
    parameter_ = graph.clone(similar, {di, "parameter"},
                             poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
    body(parameter_, prog_, {di, "body"});
    if (!inlined_)
      function_ = graph.addFunction(prog_);
  }
  InPlaceFunction(InPlaceFunction &&) = default;

  void operator()(const poplar::Tensor &argument, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {}) {
    OperationInfo di(debugContext, {OPERATIONS_ARG(argument)});
    prog.add(poplar::program::Copy(argument, parameter_, false, {di, "in"}));
    if (inlined_)
      prog.add(prog_);
    else
      prog.add(poplar::program::Call(function_, {di}));
    prog.add(poplar::program::Copy(parameter_, argument, false, {di, "out"}));
  }

private:
  bool inlined_;
  poplar::Tensor parameter_;
  poplar::program::Sequence prog_;
  poplar::Function function_;
};

} // namespace operations
