#include "dense_operand.hpp"
#include "made_for.hpp"
#include "popsparse/FullyConnected.hpp"
#include "sparse_products.hpp"

namespace popsparse {
namespace dynamic {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;

namespace {

void checkWeights(const char *function, const SparseTensor &weights,
                  const FullyConnectedParams &params) {
  if (paramsOf<FullyConnectedParams>(function, weights) != params)
    throw poputil::poplibs_error(std::string(function) +
                                 ": the weights were made for other parameters");
}

SparseProducts productsOf(Graph &graph, const FullyConnectedParams &params, const Type &type,
                          const OptionFlags &options, const DebugContext &debugContext) {
  checkOptions(options);
  return SparseProducts(graph, planOf(params, type, graph.getTarget()), debugContext);
}

} // namespace

SparseTensor createFullyConnectedWeights(Graph &graph, const Type &inputType,
                                         const FullyConnectedParams &params,
                                         const DebugContext &debugContext,
                                         const OptionFlags &options, PlanningCache *) {
  SparseProducts products = productsOf(graph, params, inputType, options, debugContext);
  return SparseTensor(products.createMeta(), products.createValues(inputType), madeFor(params));
}

Tensor createFullyConnectedInput(Graph &graph, const Type &inputType,
                                 const FullyConnectedParams &params,
                                 const DebugContext &debugContext, const OptionFlags &options,
                                 PlanningCache *) {
  checkOptions(options);
  return createDense(graph, inputType, {params.getBatchSize(), params.getInputChannels()},
                     {debugContext, "input"});
}

Tensor fullyConnectedFwd(Graph &graph, const SparseTensor &weights, const Tensor &activations,
                         const FullyConnectedParams &params, Sequence &prog,
                         const DebugContext &debugContext, const OptionFlags &options,
                         PlanningCache *) {
  const char *const function = "fullyConnectedFwd";
  checkWeights(function, weights, params);
  const Type type = weights.getNzValuesTensor().elementType();
  checkDense(function, activations, {params.getBatchSize(), params.getInputChannels()}, type);
  return productsOf(graph, params, type, options, debugContext)
      .product(weights.getMetaInfoTensor(), weights.getNzValuesTensor(), activations.transpose(),
               false, prog)
      .transpose();
}

Tensor fullyConnectedGradA(Graph &graph, const SparseTensor &weights, const Tensor &gradients,
                           const FullyConnectedParams &params, Sequence &prog,
                           const DebugContext &debugContext, const OptionFlags &options,
                           PlanningCache *) {
  const char *const function = "fullyConnectedGradA";
  checkWeights(function, weights, params);
  const Type type = weights.getNzValuesTensor().elementType();
  checkDense(function, gradients, {params.getBatchSize(), params.getOutputChannels()}, type);
  return productsOf(graph, params, type, options, debugContext)
      .product(weights.getMetaInfoTensor(), weights.getNzValuesTensor(), gradients.transpose(),
               true, prog)
      .transpose();
}

Tensor fullyConnectedSparseGradW(Graph &graph, const Tensor sparsityMetaInfo, const Tensor &gradA,
                                 const Tensor &activations, const FullyConnectedParams &params,
                                 Sequence &prog, const DebugContext &debugContext,
                                 const OptionFlags &options, PlanningCache *) {
  const char *const function = "fullyConnectedSparseGradW";
  const Type type = activations.elementType();
  checkDense(function, gradA, {params.getBatchSize(), params.getOutputChannels()}, type);
  checkDense(function, activations, {params.getBatchSize(), params.getInputChannels()}, type);
  return productsOf(graph, params, type, options, debugContext)
      .gradient(sparsityMetaInfo, gradA.transpose(), activations.transpose(), prog);
}

std::tuple<unsigned, unsigned, unsigned>
fullyConnectedDenseGradWSerialSplits(const Graph &, const Type &, const FullyConnectedParams &,
                                     const OptionFlags &options, PlanningCache *) {
  checkOptions(options);
  return std::make_tuple(1u, 1u, 1u);
}

} // namespace dynamic
} // namespace popsparse
