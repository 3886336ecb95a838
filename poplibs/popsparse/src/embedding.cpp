#include "popsparse/Embedding.hpp"

#include "dense_operand.hpp"
#include "made_for.hpp"
#include "sparse_products.hpp"

#include <popops/ElementWise.hpp>

namespace popsparse {
namespace dynamic {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
namespace pe = popops::expr;

namespace {

SparseProducts checkedProducts(const char *function, Graph &graph, const SparseTensor &t,
                               const Tensor &indices, const FullyConnectedParams &params,
                               const OptionFlags &options, const DebugContext &debugContext) {
  checkOptions(options);
  if (paramsOf<FullyConnectedParams>(function, t) != params)
    throw poputil::poplibs_error(std::string(function) +
                                 ": the table was made for other parameters");
  if (indices.rank() != 1 || indices.elementType() != poplar::UNSIGNED_INT)
    throw poputil::poplibs_error(std::string(function) + ": indices of shape " +
                                 indices.shapeToString() + " and type " +
                                 indices.elementType().toString().cloneAsString() +
                                 "; they are UNSIGNED_INT, of one dimension");
  return SparseProducts(
      graph, planOf(params, t.getNzValuesTensor().elementType(), graph.getTarget()), debugContext);
}

} // namespace

Tensor createIndicesTensor(Graph &graph, const FullyConnectedParams &, std::size_t numIndices,
                           const OptionFlags &options, const DebugContext &debugContext) {
  checkOptions(options);
  return createDense(graph, poplar::UNSIGNED_INT, {numIndices}, {debugContext, "indices"});
}

Tensor createSliceTensor(Graph &graph, const Type &dataType, const FullyConnectedParams &params,
                         std::size_t numIndices, const DebugContext &debugContext,
                         const OptionFlags &options, PlanningCache *) {
  checkOptions(options);
  return createDense(graph, dataType, {numIndices, params.getInputChannels()},
                     {debugContext, "slices"});
}

Tensor embeddingSlice(Graph &graph, const SparseTensor &t, const Tensor &indices, Sequence &prog,
                      const FullyConnectedParams &params, const DebugContext &debugContext,
                      const OptionFlags &options, PlanningCache *) {
  return checkedProducts("embeddingSlice", graph, t, indices, params, options, debugContext)
      .lookup(t.getMetaInfoTensor(), t.getNzValuesTensor(), indices, prog);
}

void embeddingUpdateAdd(Graph &graph, const SparseTensor &t, const Tensor &slices,
                        const Tensor &indices, const Tensor &scale, Sequence &prog,
                        const FullyConnectedParams &params, const DebugContext &debugContext,
                        const OptionFlags &options, PlanningCache *) {
  const char *const function = "embeddingUpdateAdd";
  SparseProducts products =
      checkedProducts(function, graph, t, indices, params, options, debugContext);
  const Tensor values = t.getNzValuesTensor();
  const Type type = values.elementType();
  checkDense(function, slices, {indices.numElements(), params.getInputChannels()}, type);
  if (scale.numElements() != 1 || scale.elementType() != type)
    throw poputil::poplibs_error(
        std::string(function) + ": the scale is one element of the table's type, not of shape " +
        scale.shapeToString() + " and type " + scale.elementType().toString().cloneAsString());
  if (indices.numElements() == 0)
    return;
  const Tensor sum = products.lookupGradient(t.getMetaInfoTensor(), slices, indices, prog);
  popops::mapInPlace(graph,
                     pe::Cast(pe::Add(pe::Cast(pe::_1, poplar::FLOAT),
                                      pe::Mul(pe::_2, pe::Cast(pe::_3, poplar::FLOAT))),
                              type),
                     {values, sum, scale.reshape({})}, prog, {debugContext, "update"});
}

} // namespace dynamic
} // namespace popsparse
