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

// Equations with triangular matrices A [...][N][N], of FLOAT or HALF. Of A, only the triangle that
// \p lower names is read, and with \p unitDiagonal its diagonal is taken as 1.
//
// Options: blockSize [64], the rows that one stage solves, and those of MatMul.hpp.
// Errors: poputil::poplibs_error for ranks, sizes and types; poplar::invalid_option.

/// A with zeros in the other triangle, and ones on the diagonal with \p unitDiagonal.
poplar::Tensor triangularMask(poplar::Graph &graph, const poplar::Tensor &a, bool lower,
                              bool unitDiagonal, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {});

/// Solves A X = B for B [...][N][K], or X A = B for B [...][K][N] if not \p leftSide.
/// \returns X, of the shape of B
poplar::Tensor triangularSolve(poplar::Graph &graph, const poplar::Tensor &a,
                               const poplar::Tensor &b, bool leftSide, bool lower,
                               bool unitDiagonal, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {},
                               matmul::PlanningCache *cache = nullptr);

/// A and B, spread over the tiles.
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

/// The products of a solution, to be planned ahead.
std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getTriangularSolveMatMulPrePlanParameters(
    const poplar::Type &inputType, const poplar::Type &outputType,
    const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape, bool leftSide,
    bool lower, const poplar::OptionFlags &options);

} // namespace poplin
