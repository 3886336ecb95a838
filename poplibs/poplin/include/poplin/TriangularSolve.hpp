#pragma once

#include "poplin/MatMul.hpp"

#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <utility>
#include <vector>

namespace poplin {

/// \file
/// Equations with triangular matrices A [..., N, N], of FLOAT or HALF. Only the triangle of A that
/// \p lower selects is read. With \p unitDiagonal its diagonal counts as 1.
///
/// Options: blockSize (default 64), the rows that one stage solves, and matMul()'s options.

/// Returns A with zeros in the other triangle, and ones on the diagonal with \p unitDiagonal, as a
/// new tensor.
/// \throws poputil::poplibs_error if A is not square
poplar::Tensor triangularMask(poplar::Graph &graph, const poplar::Tensor &a, bool lower,
                              bool unitDiagonal, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {});

/// Solves A X = B for B [..., N, K], or X A = B for B [..., K, N] if not \p leftSide.
/// \returns X, of the shape of B
/// \throws poputil::poplibs_error if ranks, sizes or types do not fit
/// \throws poplar::invalid_option if an option or its value is unknown
poplar::Tensor triangularSolve(poplar::Graph &graph, const poplar::Tensor &a,
                               const poplar::Tensor &b, bool leftSide, bool lower,
                               bool unitDiagonal, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {},
                               matmul::PlanningCache *cache = nullptr);

///@{

/// Adds A or B, spread over the tiles.
poplar::Tensor createTriangularSolveInputLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                             const poplar::Type &outputType,
                                             const std::vector<std::size_t> &aShape,
                                             const std::vector<std::size_t> &bShape, bool leftSide,
                                             const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags &options = {},
                                             matmul::PlanningCache *cache = nullptr);
poplar::Tensor createTriangularSolveInputRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                             const poplar::Type &outputType,
                                             const std::vector<std::size_t> &aShape,
                                             const std::vector<std::size_t> &bShape, bool leftSide,
                                             const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags &options = {},
                                             matmul::PlanningCache *cache = nullptr);
///@}

/// Returns the matrix products of a solution, for planning in advance.
std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getTriangularSolveMatMulPrePlanParameters(
    const poplar::Type &inputType, const poplar::Type &outputType,
    const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape, bool leftSide,
    bool lower, const poplar::OptionFlags &options);

} // namespace poplin
