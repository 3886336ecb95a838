#pragma once

#include "snap/Graph.hpp"
#include "snap/Program.hpp"
#include "snap/Tensor.hpp"

#include <cstddef>
#include <iosfwd>
#include <poplar/DebugContext.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>
#include <poplin/MatMul.hpp>
#include <vector>

namespace snap {

/// Operations of poplin with snap's graph, tensors and sequences. Meaning, errors and options are
/// as for poplin's function with the same name (poplin/MatMul.hpp).
///
/// \p cache is at most one pointer. Its class depends on the version of PopLibs.
namespace poplin {

/// Calls poplin::matMulGrouped().
template <typename... Cache>
Tensor matMulGrouped(Graph &graph, const Tensor &A, const Tensor &B, program::Sequence &prog,
                     const poplar::Type &outputType, const poplar::DebugContext &debugContext = {},
                     const poplar::OptionFlags &options = {}, Cache *...cache) {
  return {::poplin::matMulGrouped(graph.getPoplarGraph(), A.getPoplarTensor(), B.getPoplarTensor(),
                                  prog.getPoplarSequence(), outputType, debugContext, options,
                                  cache...),
          graph};
}

/// Calls poplin::matMulGroupedReportPlan().
template <typename... Cache>
void matMulGroupedReportPlan(std::ostream &out, const Graph &graph, const poplar::Type &inputType,
                             const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                             const std::vector<std::size_t> &bShape,
                             const poplar::OptionFlags &options = {}, Cache *...cache) {
  ::poplin::matMulGroupedReportPlan(out, graph.getPoplarGraph(), inputType, outputType, aShape,
                                    bShape, options, cache...);
}

/// Calls poplin::createMatMulGroupedInputLHS().
template <typename... Cache>
Tensor createMatMulGroupedInputLHS(Graph &graph, const poplar::Type &inputType,
                                   const poplar::Type &outputType,
                                   const std::vector<std::size_t> &aShape,
                                   const std::vector<std::size_t> &bShape,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options = {}, Cache *...cache) {
  return {::poplin::createMatMulGroupedInputLHS(graph.getPoplarGraph(), inputType, outputType,
                                                aShape, bShape, debugContext, options, cache...),
          graph};
}

/// Calls poplin::createMatMulGroupedInputRHS().
template <typename... Cache>
Tensor createMatMulGroupedInputRHS(Graph &graph, const poplar::Type &inputType,
                                   const poplar::Type &outputType,
                                   const std::vector<std::size_t> &aShape,
                                   const std::vector<std::size_t> &bShape,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options = {}, Cache *...cache) {
  return {::poplin::createMatMulGroupedInputRHS(graph.getPoplarGraph(), inputType, outputType,
                                                aShape, bShape, debugContext, options, cache...),
          graph};
}

} // namespace poplin
} // namespace snap
