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

// Fully connected layers with weights that are sparse in a pattern that a host may change: see
// SparsePartitioner.hpp. FLOAT or HALF, one group.
//
// Options: availableMemoryProportion, metaInfoBucketOversizeProportion, doGradAPass, doGradWPass,
// partialsType, sharedBuckets, enableStructuredRearrangements, partitioner.optimiseForSpeed,
// partitioner.forceBucketSpills, partitioner.useActualWorkerSplitCosts and planConstraints are checked
// and have no effect: one encoding serves all passes, and sums are FLOAT.
//
// Errors: poputil::poplibs_error for shapes, types and tensors of other operations;
// poplar::invalid_option.
namespace popsparse {
namespace dynamic {

SparseTensor createFullyConnectedWeights(poplar::Graph &graph, const poplar::Type &inputType,
                                         const FullyConnectedParams &params,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {},
                                         PlanningCache *cache = nullptr);
/// \returns {batch, in}
poplar::Tensor createFullyConnectedInput(poplar::Graph &graph, const poplar::Type &inputType,
                                         const FullyConnectedParams &params,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {},
                                         PlanningCache *cache = nullptr);
/// \param activations  {batch, in} \returns X W^T, {batch, out}
poplar::Tensor
fullyConnectedFwd(poplar::Graph &graph, const SparseTensor &weights,
                  const poplar::Tensor &activations, const FullyConnectedParams &fcParams,
                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// \param gradients  {batch, out} \returns G W, {batch, in}
poplar::Tensor
fullyConnectedGradA(poplar::Graph &graph, const SparseTensor &weights,
                    const poplar::Tensor &gradients, const FullyConnectedParams &fcParams,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// \returns the gradient of the weights where they are non-zero, in the layout of their values
poplar::Tensor
fullyConnectedSparseGradW(poplar::Graph &graph, const poplar::Tensor sparsityMetaInfo,
                          const poplar::Tensor &gradA, const poplar::Tensor &activations,
                          const FullyConnectedParams &fcParams, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// How a dense gradient of the weights would best be cut: not at all.
std::tuple<unsigned, unsigned, unsigned> fullyConnectedDenseGradWSerialSplits(
    const poplar::Graph &graph, const poplar::Type &inputType, const FullyConnectedParams &fcParams,
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

} // namespace dynamic
} // namespace popsparse
