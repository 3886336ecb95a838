#pragma once

#include <gcl/Collectives.hpp>
#include <popops/CollectiveTypes.hpp>

// Collectives between the IPUs of one graph, as SDKs up to 2.2 had them. They are those of gcl:
// link with it.
namespace popops {

/// As gcl::reduceScatterWithinReplica.
inline Chunks reduceScatter(poplar::Graph &graph, const poplar::Tensor &toReduce,
                            CollectiveOperator op, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {}) {
  return gcl::reduceScatterWithinReplica(graph, toReduce, op, prog, debugContext, options);
}
/// As gcl::allGatherWithinReplica.
inline poplar::Tensor allGather(poplar::Graph &graph, const Chunks &toGather,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {}) {
  return gcl::allGatherWithinReplica(graph, toGather, prog, debugContext, options);
}
/// As gcl::allReduceWithinReplica.
inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                CollectiveOperator op, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {}) {
  return gcl::allReduceWithinReplica(graph, toReduce, op, prog, debugContext, options);
}

} // namespace popops
