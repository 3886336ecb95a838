#pragma once

#include <popops/Operation.hpp>
#include <popops/TensorCollectives.hpp>

/// \file
/// Collective operations across replicas, as SDKs up to 2.1 have them: all replicas form one group.
/// The functions call gcl's, with gcl's results and errors: link with gcl.

namespace popops {

///@{

/// Calls gcl::allReduceCrossReplica().
inline poplar::Tensor replicatedAllReduce(poplar::Graph &graph, const poplar::Tensor &data,
                                          CollectiveOperator op, poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {}) {
  return gcl::allReduceCrossReplica(graph, data, op, prog, debugContext, options);
}
inline poplar::Tensor replicatedAllReduce(poplar::Graph &graph, const poplar::Tensor &data,
                                          const Operation &op, poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {}) {
  return gcl::allReduceCrossReplica(graph, data, operationToCollectiveOperator(op), prog,
                                    debugContext, options);
}
///@}

///@{

/// Calls gcl::allReduceCrossReplica(). The second graph, the parent of \p graph, is ignored.
inline poplar::Tensor replicatedAllReduce(poplar::Graph &graph, poplar::Graph &,
                                          const poplar::Tensor &data, CollectiveOperator op,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {}) {
  return gcl::allReduceCrossReplica(graph, data, op, prog, debugContext, options);
}
inline poplar::Tensor replicatedAllReduce(poplar::Graph &graph, poplar::Graph &,
                                          const poplar::Tensor &data, const Operation &op,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {}) {
  return gcl::allReduceCrossReplica(graph, data, operationToCollectiveOperator(op), prog,
                                    debugContext, options);
}
///@}

///@{

/// Calls gcl::allReduceToDestinationCrossReplica().
inline void replicatedAllReduceWithOutput(poplar::Graph &graph, const poplar::Tensor &data,
                                          poplar::Tensor &output, CollectiveOperator op,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {}) {
  gcl::allReduceToDestinationCrossReplica(graph, data, output, op, prog, debugContext, options);
}
inline void replicatedAllReduceWithOutput(poplar::Graph &graph, const poplar::Tensor &data,
                                          poplar::Tensor &output, const Operation &op,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {}) {
  gcl::allReduceToDestinationCrossReplica(graph, data, output, operationToCollectiveOperator(op),
                                          prog, debugContext, options);
}
///@}

///@{

/// Calls gcl::allReduceInPlaceCrossReplica().
inline void replicatedAllReduceInPlace(poplar::Graph &graph, poplar::Tensor &data,
                                       CollectiveOperator op, poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext = {},
                                       const poplar::OptionFlags &options = {}) {
  gcl::allReduceInPlaceCrossReplica(graph, data, op, prog, debugContext, options);
}
inline void replicatedAllReduceInPlace(poplar::Graph &graph, poplar::Tensor &data,
                                       const Operation &op, poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext = {},
                                       const poplar::OptionFlags &options = {}) {
  gcl::allReduceInPlaceCrossReplica(graph, data, operationToCollectiveOperator(op), prog,
                                    debugContext, options);
}
///@}

///@{

/// Calls gcl::reduceScatterCrossReplica().
inline poplar::Tensor replicatedReduceScatter(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                              CollectiveOperator op,
                                              poplar::program::Sequence &prog,
                                              const poplar::DebugContext &debugContext = {},
                                              const poplar::OptionFlags &options = {}) {
  return gcl::reduceScatterCrossReplica(graph, toReduce, op, prog, debugContext, options);
}
inline poplar::Tensor replicatedReduceScatter(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                              const Operation &op, poplar::program::Sequence &prog,
                                              const poplar::DebugContext &debugContext = {},
                                              const poplar::OptionFlags &options = {}) {
  return gcl::reduceScatterCrossReplica(graph, toReduce, operationToCollectiveOperator(op), prog,
                                        debugContext, options);
}
///@}

/// Calls gcl::allGatherCrossReplica().
inline poplar::Tensor replicatedAllGather(poplar::Graph &graph, const poplar::Tensor &toGather,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {}) {
  return gcl::allGatherCrossReplica(graph, toGather, prog, debugContext, options);
}

/// Calls gcl::allToAllCrossReplica().
inline poplar::Tensor allToAllPersonalizedExchange(poplar::Graph &graph,
                                                   const poplar::Tensor &input,
                                                   poplar::program::Sequence &sequence,
                                                   const poplar::DebugContext &debugContext = {},
                                                   const poplar::OptionFlags &options = {}) {
  return gcl::allToAllCrossReplica(graph, input, sequence, debugContext, options);
}

/// Reduces between the IPUs of one graph: calls gcl::allReduceWithinReplica().
inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                const Operation &op, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {}) {
  return gcl::allReduceWithinReplica(graph, toReduce, operationToCollectiveOperator(op), prog,
                                     debugContext, options);
}

} // namespace popops
