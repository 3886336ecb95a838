#pragma once

#include <gcl/Collectives.hpp>
#include <popops/CollectiveTypes.hpp>

/// \file
/// Collective operations between the IPUs of one graph, as SDKs up to 2.2 have them. The functions
/// call gcl's, with gcl's results and errors: link with gcl.

namespace popops {

/// Calls gcl::reduceScatterWithinReplica().
inline Chunks reduceScatter(poplar::Graph &graph, const poplar::Tensor &toReduce,
                            CollectiveOperator op, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {}) {
  return gcl::reduceScatterWithinReplica(graph, toReduce, op, prog, debugContext, options);
}
/// Calls gcl::allGatherWithinReplica().
inline poplar::Tensor allGather(poplar::Graph &graph, const Chunks &toGather,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {}) {
  return gcl::allGatherWithinReplica(graph, toGather, prog, debugContext, options);
}
/// Calls gcl::allReduceWithinReplica().
inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                CollectiveOperator op, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {}) {
  return gcl::allReduceWithinReplica(graph, toReduce, op, prog, debugContext, options);
}

} // namespace popops
