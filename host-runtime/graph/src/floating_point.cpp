#include "graph/register_variables.hpp"
#include "poplar/CSRFunctions.hpp"

#include <iterator>

namespace poplar {

using copse::graph::RegisterVariables;

namespace {

using Flag = bool FloatingPointBehaviour::*;
constexpr Flag kFlags[] = {&FloatingPointBehaviour::inv, &FloatingPointBehaviour::div0,
                           &FloatingPointBehaviour::oflo, &FloatingPointBehaviour::esr,
                           &FloatingPointBehaviour::nanoo};
constexpr std::uint32_t kFlagCount = std::size(kFlags);
constexpr std::uint32_t kStochasticRounding = 3;

/// Returns the registers: one word per flag.
RegisterVariables registersOf(Graph &graph) {
  return RegisterVariables(
      graph, copse::graph::kFloatingPointRegisters, kFlagCount,
      std::vector<std::uint32_t>(std::size_t{kFlagCount} * RegisterVariables::allTiles(graph), 0));
}

} // namespace

void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                               const FloatingPointBehaviour &behaviour,
                               const DebugContext &debugContext) {
  RegisterVariables registers = registersOf(graph);
  for (std::uint32_t flag = 0; flag < kFlagCount; ++flag)
    registers.fill(prog, flag, behaviour.*kFlags[flag] ? 1 : 0, debugContext);
}

void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog, const Tensor &behaviour,
                               const DebugContext &debugContext) {
  const std::vector<std::size_t> shape = {graph.getTarget().getNumTiles(), kFlagCount};
  if (behaviour.elementType() != UNSIGNED_INT || behaviour.shape() != shape) {
    throw poplar_error("setFloatingPointBehaviour: the tensor is not one that "
                       "getAndModifyFloatingPointBehaviour gave for this graph");
  }
  registersOf(graph).write(prog, behaviour, debugContext);
}

Tensor getAndModifyFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                          const FloatingPointBehaviour &clear,
                                          const FloatingPointBehaviour &set,
                                          const DebugContext &debugContext) {
  RegisterVariables registers = registersOf(graph);
  const Tensor before = registers.read(prog, debugContext);
  for (std::uint32_t flag = 0; flag < kFlagCount; ++flag) {
    const bool on = set.*kFlags[flag];
    if (on || clear.*kFlags[flag]) {
      registers.fill(prog, flag, on ? 1 : 0, debugContext);
    }
  }
  return before;
}

void setStochasticRounding(Graph &graph, program::Sequence &prog, bool enable,
                           const DebugContext &debugContext) {
  registersOf(graph).fill(prog, kStochasticRounding, enable ? 1 : 0, debugContext);
}

} // namespace poplar
