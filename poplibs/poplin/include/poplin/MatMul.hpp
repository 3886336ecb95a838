#pragma once

#include "poplin/Convolution.hpp"
#include "poplin/PlanningCache.hpp"

#include <cstddef>
#include <iosfwd>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace poplin {

/// Describes a matrix product to plan.
struct MatMulParams {
  /// The type of the operands.
  poplar::Type inputType;
  /// The type of the result.
  poplar::Type outputType;
  /// [G, M, K]
  std::vector<std::size_t> aShape;
  /// [G, K, N]
  std::vector<std::size_t> bShape;
};
/// Compares in an arbitrary order, for keys of a set.
bool operator<(const MatMulParams &a, const MatMulParams &b);

/// Identifies a product to plan: a target, parameters and options. The pointed-to objects must
/// outlive it.
using MatMulPlanParams =
    std::tuple<const poplar::Target *, const MatMulParams, const poplar::OptionFlags *>;
/// Options of products and the convolutions that they become.
using MatMulToConvOptions = std::unordered_map<const poplar::OptionFlags *, poplar::OptionFlags>;

///@{

/// Computes A * B; grouped, group by group. A and B are both HALF or both FLOAT. Operands may be
/// any view, and any size may be 0.
///
/// \code
/// Tensor w = createMatMulInputRHS(graph, FLOAT, {batch, in}, {in, out}, "w");
/// Tensor y = matMul(graph, x, w, prog, FLOAT, "fc1");  // x of shape [batch, in]
/// \endcode
/// - \p A: shape [M, K]; grouped [G, M, K]
/// - \p B: shape [K, N]; grouped [G, K, N]
/// - \p outputType: HALF or FLOAT; default: the type of A
/// - \p cache: plans to reuse; default none
/// - \p options: default none; partialsType (half, float; default float), the type of partial sums;
///   availableMemoryProportion (default 0.6), the part of a tile's memory that a product may use
///   for temporary data; fullyConnectedPass, inputRHSIsPreArranged, use128BitConvUnitLoad,
///   enableMultiStageReduce, enableFastReduce, remapOutputTensor, planConstraints and gatherOutput
///   are checked and have no effect
///
/// The result is a new tensor, shape [M, N], grouped [G, M, N].
/// \throws poputil::poplibs_error if ranks, sizes or types do not fit; it names the call and the
///   debug name
/// \throws poplar::invalid_option if an option or its value is unknown
poplar::Tensor matMul(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                      poplar::program::Sequence &prog, const poplar::Type &outputType,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      matmul::PlanningCache *cache = nullptr);
poplar::Tensor matMul(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      matmul::PlanningCache *cache = nullptr);
poplar::Tensor matMulGrouped(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             poplar::program::Sequence &prog, const poplar::Type &outputType,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             matmul::PlanningCache *cache = nullptr);
///@}

///@{

/// Computes C += k * A * B, in place; the product has the type of C. Shapes, options and errors are
/// as for matMul().
/// - \p C: shape [M, N]; grouped [G, M, N]
/// - \p k: a number, or one element
void matMulAcc(poplar::Graph &graph, const poplar::Tensor &C, float k, const poplar::Tensor &A,
               const poplar::Tensor &B, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {}, matmul::PlanningCache *cache = nullptr);
void matMulAcc(poplar::Graph &graph, const poplar::Tensor &C, const poplar::Tensor &k,
               const poplar::Tensor &A, const poplar::Tensor &B, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {}, matmul::PlanningCache *cache = nullptr);
void matMulGroupedAcc(poplar::Graph &graph, const poplar::Tensor &C, float k,
                      const poplar::Tensor &A, const poplar::Tensor &B,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      matmul::PlanningCache *cache = nullptr);
void matMulGroupedAcc(poplar::Graph &graph, const poplar::Tensor &C, const poplar::Tensor &k,
                      const poplar::Tensor &A, const poplar::Tensor &B,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      matmul::PlanningCache *cache = nullptr);
///@}

///@{

/// Adds an operand with the tile mapping that the product of these shapes needs: block by block, so
/// its rows need not be contiguous. A product also accepts other mappings, at the cost of
/// exchanges.
/// - \p aShape, \p bShape: shapes of A and B
poplar::Tensor createMatMulInputLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                    const poplar::Type &outputType,
                                    const std::vector<std::size_t> &aShape,
                                    const std::vector<std::size_t> &bShape,
                                    const poplar::DebugContext &debugContext,
                                    const poplar::OptionFlags &options = {},
                                    matmul::PlanningCache *cache = nullptr);
poplar::Tensor createMatMulInputLHS(poplar::Graph &graph, const poplar::Type &dataType,
                                    const std::vector<std::size_t> &aShape,
                                    const std::vector<std::size_t> &bShape,
                                    const poplar::DebugContext &debugContext,
                                    const poplar::OptionFlags &options = {},
                                    matmul::PlanningCache *cache = nullptr);
poplar::Tensor createMatMulInputRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                    const poplar::Type &outputType,
                                    const std::vector<std::size_t> &aShape,
                                    const std::vector<std::size_t> &bShape,
                                    const poplar::DebugContext &debugContext,
                                    const poplar::OptionFlags &options = {},
                                    matmul::PlanningCache *cache = nullptr);
poplar::Tensor createMatMulInputRHS(poplar::Graph &graph, const poplar::Type &dataType,
                                    const std::vector<std::size_t> &aShape,
                                    const std::vector<std::size_t> &bShape,
                                    const poplar::DebugContext &debugContext,
                                    const poplar::OptionFlags &options = {},
                                    matmul::PlanningCache *cache = nullptr);
poplar::Tensor createMatMulGroupedInputLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                           const poplar::Type &outputType,
                                           const std::vector<std::size_t> &aShape,
                                           const std::vector<std::size_t> &bShape,
                                           const poplar::DebugContext &debugContext,
                                           const poplar::OptionFlags &options = {},
                                           matmul::PlanningCache *cache = nullptr);
poplar::Tensor createMatMulGroupedInputRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                           const poplar::Type &outputType,
                                           const std::vector<std::size_t> &aShape,
                                           const std::vector<std::size_t> &bShape,
                                           const poplar::DebugContext &debugContext,
                                           const poplar::OptionFlags &options = {},
                                           matmul::PlanningCache *cache = nullptr);
///@}

///@{

/// Copies B to a tensor that is laid out for products with tensors A of this shape.
/// - \p outputType: the type of the product; default: the type of B
poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph &graph,
                                        const std::vector<std::size_t> &aShape,
                                        const poplar::Tensor &B, poplar::program::Sequence &prog,
                                        const poplar::Type &outputType,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        matmul::PlanningCache *cache = nullptr);
poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph &graph,
                                        const std::vector<std::size_t> &aShape,
                                        const poplar::Tensor &B, poplar::program::Sequence &prog,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        matmul::PlanningCache *cache = nullptr);
poplar::Tensor preArrangeMatMulGroupedInputRHS(
    poplar::Graph &graph, const std::vector<std::size_t> &aShape, const poplar::Tensor &B,
    poplar::program::Sequence &prog, const poplar::Type &outputType,
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
    matmul::PlanningCache *cache = nullptr);
///@}

/// Returns the same elements with the last two of three dimensions swapped.
/// \throws poputil::poplibs_error if \p A does not have three dimensions
poplar::Tensor transposeGroupedMatrix(const poplar::Tensor &A);

/// Plans products in advance and stores the plans in \p cache.
void preplanMatMuls(const std::set<MatMulPlanParams> &matmuls, matmul::PlanningCache &cache);

///@{

/// Prints the plan, for people.
void matMulReportPlan(std::ostream &out, const poplar::Graph &graph, const poplar::Type &inputType,
                      const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                      const std::vector<std::size_t> &bShape,
                      const poplar::OptionFlags &options = {},
                      matmul::PlanningCache *cache = nullptr);
void matMulGroupedReportPlan(std::ostream &out, const poplar::Graph &graph,
                             const poplar::Type &inputType, const poplar::Type &outputType,
                             const std::vector<std::size_t> &aShape,
                             const std::vector<std::size_t> &bShape,
                             const poplar::OptionFlags &options = {},
                             matmul::PlanningCache *cache = nullptr);
///@}

} // namespace poplin
