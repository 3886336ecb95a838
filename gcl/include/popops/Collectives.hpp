#pragma once

#include <popops/Operation.hpp>
#include <popops/TensorCollectives.hpp>

// Collectives across replicas, as SDKs up to 2.1 had them: all replicas are one group. They are
// those of gcl: link with it.
namespace popops {

/// As gcl::allReduceCrossReplica.
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

/// The same; the parent of \p graph is known.
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

/// As gcl::allReduceToDestinationCrossReplica.
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

/// As gcl::allReduceInPlaceCrossReplica.
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

/// As gcl::reduceScatterCrossReplica.
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

/// As gcl::allGatherCrossReplica.
inline poplar::Tensor replicatedAllGather(poplar::Graph &graph, const poplar::Tensor &toGather,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {}) {
  return gcl::allGatherCrossReplica(graph, toGather, prog, debugContext, options);
}

/// As gcl::allToAllCrossReplica.
inline poplar::Tensor allToAllPersonalizedExchange(poplar::Graph &graph,
                                                   const poplar::Tensor &input,
                                                   poplar::program::Sequence &sequence,
                                                   const poplar::DebugContext &debugContext = {},
                                                   const poplar::OptionFlags &options = {}) {
  return gcl::allToAllCrossReplica(graph, input, sequence, debugContext, options);
}

/// As gcl::allReduceWithinReplica; between the IPUs of one graph.
inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                const Operation &op, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {}) {
  return gcl::allReduceWithinReplica(graph, toReduce, operationToCollectiveOperator(op), prog,
                                     debugContext, options);
}

} // namespace popops
