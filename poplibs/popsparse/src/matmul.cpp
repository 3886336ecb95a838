#include "popsparse/MatMul.hpp"

#include "dense_operand.hpp"
#include "made_for.hpp"
#include "sparse_products.hpp"

namespace popsparse {
namespace dynamic {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;

SparseTensor createSparseDenseMatMulLHS(Graph &graph, const Type &inputType,
                                        const MatMulParams &params,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options, PlanningCache *) {
  checkOptions(options);
  SparseProducts products(graph, planOf(params, inputType, graph.getTarget()), debugContext);
  return SparseTensor(products.createMeta(), products.createValues(inputType), madeFor(params));
}

Tensor createSparseDenseMatMulRHS(Graph &graph, const Type &inputType, const MatMulParams &params,
                                  const DebugContext &debugContext, const OptionFlags &options,
                                  PlanningCache *) {
  checkOptions(options);
  return createDense(graph, inputType, {params.getNumGroups(), params.getK(), params.getN()},
                     {debugContext, "rhs"});
}

Tensor sparseDenseMatMul(Graph &graph, const SparseTensor &lhs, const Tensor &rhs, Sequence &prog,
                         bool transposeLHS, bool transposeRHS, const DebugContext &debugContext,
                         const OptionFlags &options, PlanningCache *) {
  const char *const function = "sparseDenseMatMul";
  checkOptions(options);
  const MatMulParams &params = paramsOf<MatMulParams>(function, lhs);
  const Type type = lhs.getNzValuesTensor().elementType();
  const std::size_t inner = transposeLHS ? params.getM() : params.getK();
  checkDense(function, rhs,
             transposeRHS ? std::vector<std::size_t>{1, params.getN(), inner}
                          : std::vector<std::size_t>{1, inner, params.getN()},
             type);
  return SparseProducts(graph, planOf(params, type, graph.getTarget()), debugContext)
      .product(lhs.getMetaInfoTensor(), lhs.getNzValuesTensor(),
               transposeRHS ? rhs[0].transpose() : rhs[0], transposeLHS, prog)
      .expand({0});
}

} // namespace dynamic
} // namespace popsparse
