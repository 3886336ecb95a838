#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseTensor.hpp>
#include <tuple>

/// \file
/// Fully connected layers with weights that are sparse in a pattern that a host may change: see
/// popsparse/SparsePartitioner.hpp. FLOAT or HALF, one group.
///
/// Options: availableMemoryProportion, metaInfoBucketOversizeProportion, doGradAPass, doGradWPass,
/// partialsType, sharedBuckets, enableStructuredRearrangements, partitioner.optimiseForSpeed,
/// partitioner.forceBucketSpills, partitioner.useActualWorkerSplitCosts and planConstraints are
/// checked and have no effect: one encoding serves all passes, and sums are FLOAT.
///
/// Errors: poputil::poplibs_error for shapes and types that do not fit, and for tensors made for
/// other operations; poplar::invalid_option for unknown options or values.

namespace popsparse {
namespace dynamic {

/// Adds sparse weights for the layer; a Partitioner makes their values.
SparseTensor createFullyConnectedWeights(poplar::Graph &graph, const poplar::Type &inputType,
                                         const FullyConnectedParams &params,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {},
                                         PlanningCache *cache = nullptr);
/// Adds activations for the layer.
/// \returns shape [batch, in]
poplar::Tensor createFullyConnectedInput(poplar::Graph &graph, const poplar::Type &inputType,
                                         const FullyConnectedParams &params,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {},
                                         PlanningCache *cache = nullptr);
/// Computes X W^T.
/// \param activations  X, shape [batch, in]
/// \returns shape [batch, out]
/// \throws poputil::poplibs_error if shapes or types do not fit, or the weights were made for other
///   parameters
poplar::Tensor
fullyConnectedFwd(poplar::Graph &graph, const SparseTensor &weights,
                  const poplar::Tensor &activations, const FullyConnectedParams &fcParams,
                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// Computes G W, the gradient with respect to the activations.
/// \param gradients  G, shape [batch, out]
/// \returns shape [batch, in]
/// \throws poputil::poplibs_error if shapes or types do not fit, or the weights were made for other
///   parameters
poplar::Tensor
fullyConnectedGradA(poplar::Graph &graph, const SparseTensor &weights,
                    const poplar::Tensor &gradients, const FullyConnectedParams &fcParams,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// Computes the gradient of the weights where they are non-zero.
/// \param gradA  gradient of the output, shape [batch, out]
/// \returns the gradient, in the layout of the weights' values
/// \throws poputil::poplibs_error if shapes or types do not fit
poplar::Tensor
fullyConnectedSparseGradW(poplar::Graph &graph, const poplar::Tensor sparsityMetaInfo,
                          const poplar::Tensor &gradA, const poplar::Tensor &activations,
                          const FullyConnectedParams &fcParams, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// Returns how a dense gradient of the weights would best be partitioned: always into one part.
std::tuple<unsigned, unsigned, unsigned> fullyConnectedDenseGradWSerialSplits(
    const poplar::Graph &graph, const poplar::Type &inputType, const FullyConnectedParams &fcParams,
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

} // namespace dynamic
} // namespace popsparse
