#include "poplin/MatMul.hpp"

#include "codelets.hpp"
#include "convolve.hpp"
#include "operands.hpp"
#include "options.hpp"
#include "planning_cache.hpp"
#include "shape_text.hpp"

#include <ostream>
#include <poputil/exceptions.hpp>
#include <sstream>
#include <string>
#include <tuple>

namespace poplin {
namespace {

using poplar::Graph;
using poplar::Tensor;
using poplar::Type;
using Shape = std::vector<std::size_t>;

/// \param name  name of the operation; may be empty
void requireOfMatMul(bool holds, const std::string &what, const std::string &name = "") {
  if (!holds)
    throw poputil::poplibs_error((name.empty() ? "matMul: " : "matMul '" + name + "': ") + what);
}

Shape grouped(const Shape &shape) {
  Shape result{1};
  result.insert(result.end(), shape.begin(), shape.end());
  return result;
}

void checkShapes(const Shape &a, const Shape &b, unsigned rank,
                 const poplar::DebugContext &debugContext) {
  const std::string name = debugContext.getPathName(), both = textOf(a) + " x " + textOf(b) + ": ";
  requireOfMatMul(a.size() == rank && b.size() == rank,
                  both + "the operands must have " + std::to_string(rank) + " dimensions", name);
  requireOfMatMul(rank == 2 || a[0] == b[0],
                  both + "numbers of groups " + std::to_string(a[0]) + " and " +
                      std::to_string(b[0]) + " differ",
                  name);
  requireOfMatMul(a[rank - 1] == b[rank - 2],
                  both + "inner dimensions " + std::to_string(a[rank - 1]) + " and " +
                      std::to_string(b[rank - 2]) + " differ",
                  name);
}

void checkTypes(const Tensor &a, const Tensor &b, const poplar::DebugContext &debugContext) {
  requireOfMatMul(a.elementType() == b.elementType(),
                  "the operands have different types, " + a.elementType().toString() + " and " +
                      b.elementType().toString(),
                  debugContext.getPathName());
}

void checkType(const Type &type, const char *what) {
  requireOfMatMul(type == poplar::HALF || type == poplar::FLOAT,
                  std::string("the ") + what + " must be HALF or FLOAT, not " + type.toString());
}

/// Returns a product as a convolution: rows of A are pixels, the inner dimension input channels,
/// columns of B output channels. Shapes are grouped.
ConvParams convolutionOf(const Type &inputType, const Type &outputType, const Shape &a,
                         const Shape &b) {
  return ConvParams(inputType, outputType, 1, {a[1]}, {1}, a[2], b[2], a[0]);
}

/// The parameters and options of a product of grouped matrices.
struct Product {
  ConvParams params;
  plan::Demands demands;
  plan::Plan plan;
};

/// Returns the product with its plan. A product with a size of 0 needs no plan.
Product productOf(const poplar::Target &target, const Type &inputType, const Type &outputType,
                  const Shape &a, const Shape &b, const poplar::OptionFlags &options,
                  PlanningCache *cache) {
  checkType(inputType, "operands");
  checkType(outputType, "result");
  Product product{convolutionOf(inputType, outputType, a, b),
                  matMulDemands(options, inputType, outputType),
                  {}};
  product.plan = planFor(product.params, target, product.demands, cache);
  return product;
}

/// Returns [G][M][K] as the input of the convolution, [1][G * K][M], and back.
Tensor asInput(const Tensor &a) {
  return a.dimShuffle({0, 2, 1}).reshape({1, a.dim(0) * a.dim(2), a.dim(1)});
}
Tensor rowsOf(const Tensor &t, std::size_t groups, std::size_t columns, std::size_t rows) {
  return t.reshape({groups, columns, rows}).dimShuffle({0, 2, 1});
}
/// Returns [G][K][N] as the convolution's weights, [G][N][K][1], and back.
Tensor asWeights(const Tensor &b) { return b.dimShuffle({0, 2, 1}).expand({3}); }
Tensor fromWeights(const Tensor &t) { return t.squeeze({3}).dimShuffle({0, 2, 1}); }

Tensor multiply(Graph &graph, const Tensor &a, const Tensor &b, poplar::program::Sequence &prog,
                const Type &outputType, const poplar::DebugContext &debugContext,
                const poplar::OptionFlags &options, PlanningCache *cache) {
  const Product product = productOf(graph.getTarget(), a.elementType(), outputType, a.shape(),
                                    b.shape(), options, cache);
  addConvolutionCodelets(graph);
  const Tensor out = convolve(graph, asInput(a), asWeights(b), product.params, product.plan,
                              product.demands, prog, debugContext);
  return rowsOf(out, a.dim(0), b.dim(2), a.dim(1));
}

Tensor createLHS(Graph &graph, const Type &inputType, const Type &outputType, const Shape &a,
                 const Shape &b, const poplar::DebugContext &debugContext,
                 const poplar::OptionFlags &options, PlanningCache *cache) {
  const Product p = productOf(graph.getTarget(), inputType, outputType, a, b, options, cache);
  return rowsOf(addInput(graph, p.params, p.plan, p.demands, debugContext), a[0], a[2], a[1]);
}

Tensor createRHS(Graph &graph, const Type &inputType, const Type &outputType, const Shape &a,
                 const Shape &b, const poplar::DebugContext &debugContext,
                 const poplar::OptionFlags &options, PlanningCache *cache) {
  const Product p = productOf(graph.getTarget(), inputType, outputType, a, b, options, cache);
  return fromWeights(addWeights(graph, p.params, p.plan, p.demands, debugContext));
}

void report(std::ostream &out, const Graph &graph, const Type &inputType, const Type &outputType,
            const Shape &a, const Shape &b, const poplar::OptionFlags &options,
            PlanningCache *cache) {
  out << "matMul " << textOf(a) << " x " << textOf(b) << '\n'
      << productOf(graph.getTarget(), inputType, outputType, a, b, options, cache).plan;
}

} // namespace

bool operator<(const MatMulParams &a, const MatMulParams &b) {
  return std::tie(a.inputType, a.outputType, a.aShape, a.bShape) <
         std::tie(b.inputType, b.outputType, b.aShape, b.bShape);
}

Tensor matMul(Graph &graph, const Tensor &A, const Tensor &B, poplar::program::Sequence &prog,
              const Type &outputType, const poplar::DebugContext &debugContext,
              const poplar::OptionFlags &options, matmul::PlanningCache *cache) {
  checkShapes(A.shape(), B.shape(), 2, debugContext);
  checkTypes(A, B, debugContext);
  return multiply(graph, A.expand({0}), B.expand({0}), prog, outputType, {debugContext, "matMul"},
                  options, cache)
      .squeeze({0});
}

Tensor matMul(Graph &graph, const Tensor &A, const Tensor &B, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
              matmul::PlanningCache *cache) {
  return matMul(graph, A, B, prog, A.elementType(), debugContext, options, cache);
}

Tensor matMulGrouped(Graph &graph, const Tensor &A, const Tensor &B,
                     poplar::program::Sequence &prog, const Type &outputType,
                     const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                     matmul::PlanningCache *cache) {
  checkShapes(A.shape(), B.shape(), 3, debugContext);
  checkTypes(A, B, debugContext);
  return multiply(graph, A, B, prog, outputType, {debugContext, "matMulGrouped"}, options, cache);
}

Tensor createMatMulInputLHS(Graph &graph, const Type &inputType, const Type &outputType,
                            const Shape &aShape, const Shape &bShape,
                            const poplar::DebugContext &debugContext,
                            const poplar::OptionFlags &options, matmul::PlanningCache *cache) {
  checkShapes(aShape, bShape, 2, debugContext);
  return createLHS(graph, inputType, outputType, grouped(aShape), grouped(bShape), debugContext,
                   options, cache)
      .squeeze({0});
}

Tensor createMatMulInputLHS(Graph &graph, const Type &dataType, const Shape &aShape,
                            const Shape &bShape, const poplar::DebugContext &debugContext,
                            const poplar::OptionFlags &options, matmul::PlanningCache *cache) {
  return createMatMulInputLHS(graph, dataType, dataType, aShape, bShape, debugContext, options,
                              cache);
}

Tensor createMatMulInputRHS(Graph &graph, const Type &inputType, const Type &outputType,
                            const Shape &aShape, const Shape &bShape,
                            const poplar::DebugContext &debugContext,
                            const poplar::OptionFlags &options, matmul::PlanningCache *cache) {
  checkShapes(aShape, bShape, 2, debugContext);
  return createRHS(graph, inputType, outputType, grouped(aShape), grouped(bShape), debugContext,
                   options, cache)
      .squeeze({0});
}

Tensor createMatMulInputRHS(Graph &graph, const Type &dataType, const Shape &aShape,
                            const Shape &bShape, const poplar::DebugContext &debugContext,
                            const poplar::OptionFlags &options, matmul::PlanningCache *cache) {
  return createMatMulInputRHS(graph, dataType, dataType, aShape, bShape, debugContext, options,
                              cache);
}

Tensor createMatMulGroupedInputLHS(Graph &graph, const Type &inputType, const Type &outputType,
                                   const Shape &aShape, const Shape &bShape,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options,
                                   matmul::PlanningCache *cache) {
  checkShapes(aShape, bShape, 3, debugContext);
  return createLHS(graph, inputType, outputType, aShape, bShape, debugContext, options, cache);
}

Tensor createMatMulGroupedInputRHS(Graph &graph, const Type &inputType, const Type &outputType,
                                   const Shape &aShape, const Shape &bShape,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options,
                                   matmul::PlanningCache *cache) {
  checkShapes(aShape, bShape, 3, debugContext);
  return createRHS(graph, inputType, outputType, aShape, bShape, debugContext, options, cache);
}

Tensor preArrangeMatMulGroupedInputRHS(Graph &graph, const Shape &aShape, const Tensor &B,
                                       poplar::program::Sequence &prog, const Type &outputType,
                                       const poplar::DebugContext &debugContext,
                                       const poplar::OptionFlags &options,
                                       matmul::PlanningCache *cache) {
  const Tensor arranged =
      createMatMulGroupedInputRHS(graph, B.elementType(), outputType, aShape, B.shape(),
                                  {debugContext, "preArranged"}, options, cache);
  prog.add(poplar::program::Copy(B, arranged, false, {debugContext, "preArrange"}));
  return arranged;
}

Tensor preArrangeMatMulInputRHS(Graph &graph, const Shape &aShape, const Tensor &B,
                                poplar::program::Sequence &prog, const Type &outputType,
                                const poplar::DebugContext &debugContext,
                                const poplar::OptionFlags &options, matmul::PlanningCache *cache) {
  checkShapes(aShape, B.shape(), 2, debugContext);
  return preArrangeMatMulGroupedInputRHS(graph, grouped(aShape), B.expand({0}), prog, outputType,
                                         debugContext, options, cache)
      .squeeze({0});
}

Tensor preArrangeMatMulInputRHS(Graph &graph, const Shape &aShape, const Tensor &B,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext,
                                const poplar::OptionFlags &options, matmul::PlanningCache *cache) {
  return preArrangeMatMulInputRHS(graph, aShape, B, prog, B.elementType(), debugContext, options,
                                  cache);
}

Tensor transposeGroupedMatrix(const Tensor &A) {
  requireOfMatMul(A.rank() == 3,
                  "transposeGroupedMatrix needs three dimensions, not " + textOf(A.shape()));
  return A.dimShuffle({0, 2, 1});
}

void preplanMatMuls(const std::set<MatMulPlanParams> &matmuls, matmul::PlanningCache &cache) {
  for (const auto &entry : matmuls) {
    const MatMulParams &p = std::get<1>(entry);
    checkShapes(p.aShape, p.bShape, 3, {});
    const auto *const options = std::get<2>(entry);
    productOf(*std::get<0>(entry), p.inputType, p.outputType, p.aShape, p.bShape,
              options == nullptr ? poplar::OptionFlags() : *options, &cache);
  }
}

void matMulReportPlan(std::ostream &out, const Graph &graph, const Type &inputType,
                      const Type &outputType, const Shape &aShape, const Shape &bShape,
                      const poplar::OptionFlags &options, matmul::PlanningCache *cache) {
  checkShapes(aShape, bShape, 2, {});
  report(out, graph, inputType, outputType, grouped(aShape), grouped(bShape), options, cache);
}

void matMulGroupedReportPlan(std::ostream &out, const Graph &graph, const Type &inputType,
                             const Type &outputType, const Shape &aShape, const Shape &bShape,
                             const poplar::OptionFlags &options, matmul::PlanningCache *cache) {
  checkShapes(aShape, bShape, 3, {});
  report(out, graph, inputType, outputType, aShape, bShape, options, cache);
}

} // namespace poplin
