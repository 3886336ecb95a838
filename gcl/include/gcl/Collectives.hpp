#pragma once

#include <gcl/CollectiveTypes.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

// Collectives. Each function appends its steps to \p prog.
//
// "CrossReplica": \p graph is a replicated graph, and a tensor stands for one copy on each replica.
// Replicas communicate within their group (CommGroup), R is the size of the group, and r the rank
// of a replica in it. With R = 1, reductions are copies (SQUARE_ADD: squares). Forms with vectors
// do several tensors at once, those of one type in the same exchanges. Names without the suffix are
// those of SDK 2.0 to 2.2.
//
// Every element is combined in one order, which depends on the shapes, the mapping and the options
// only. So all replicas get the same bits in every run. MEAN is ADD divided by R; LOGICAL_AND and
// LOGICAL_OR take BOOL; SQUARE_ADD adds squares; LOCAL keeps what the replica has itself.
//
// Options: `method`: auto, clockwise_ring, anticlockwise_ring, bidirectional_ring_pair,
// meet_in_middle_ring, quad_directional_ring (as bidirectional_ring_pair), direct, broadcast,
// hierarchical [auto]. auto takes the method that the cost model (README) calculates to be the
// fastest. The other options of Graphcore's library are accepted and have no effect.
//
// Errors: poputil::poplibs_error for shapes, types and groups that do not fit;
// poplar::invalid_option.
namespace gcl {

/// The element-wise reduction over the group, on each of its replicas; of the shape of \p data,
/// which is left alone.
poplar::Tensor allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                     CollectiveOperator op, poplar::program::Sequence &prog,
                                     const CommGroup &group,
                                     const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {});
inline poplar::Tensor allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                            CollectiveOperator op, poplar::program::Sequence &prog,
                                            const poplar::DebugContext &debugContext = {},
                                            const poplar::OptionFlags &options = {}) {
  return allReduceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
std::vector<poplar::Tensor>
allReduceCrossReplica(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                      CollectiveOperator op, poplar::program::Sequence &prog,
                      const CommGroup &group, const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
inline std::vector<poplar::Tensor>
allReduceCrossReplica(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                      CollectiveOperator op, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}) {
  return allReduceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}

/// The same, written to \p destination, of the same shape, which must be writable in parallel.
void allReduceToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                        const poplar::Tensor &destination, CollectiveOperator op,
                                        poplar::program::Sequence &prog, const CommGroup &group,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});
inline void allReduceToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                               const poplar::Tensor &destination,
                                               CollectiveOperator op,
                                               poplar::program::Sequence &prog,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {}) {
  return allReduceToDestinationCrossReplica(graph, data, destination, op, prog, CommGroup(),
                                            debugContext, options);
}
void allReduceToDestinationCrossReplica(poplar::Graph &graph,
                                        const std::vector<poplar::Tensor> &data,
                                        const std::vector<poplar::Tensor> &destination,
                                        CollectiveOperator op, poplar::program::Sequence &prog,
                                        const CommGroup &group,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});
inline void allReduceToDestinationCrossReplica(poplar::Graph &graph,
                                               const std::vector<poplar::Tensor> &data,
                                               const std::vector<poplar::Tensor> &destination,
                                               CollectiveOperator op,
                                               poplar::program::Sequence &prog,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {}) {
  return allReduceToDestinationCrossReplica(graph, data, destination, op, prog, CommGroup(),
                                            debugContext, options);
}

/// The same, written back to \p data, which must be writable in parallel.
void allReduceInPlaceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                  CollectiveOperator op, poplar::program::Sequence &prog,
                                  const CommGroup &group,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
inline void allReduceInPlaceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                         CollectiveOperator op, poplar::program::Sequence &prog,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {}) {
  return allReduceInPlaceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
void allReduceInPlaceCrossReplica(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                                  CollectiveOperator op, poplar::program::Sequence &prog,
                                  const CommGroup &group,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
inline void allReduceInPlaceCrossReplica(poplar::Graph &graph,
                                         const std::vector<poplar::Tensor> &data,
                                         CollectiveOperator op, poplar::program::Sequence &prog,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {}) {
  return allReduceInPlaceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}

/// \p data has shape [n]. Of the reduction, replica r gets elements [r p, (r + 1) p) with
/// p = ceil(n / R), padded with zeros. If a replica has several IPUs, the elements of each IPU are
/// scattered for themselves; the results follow each other by IPU.
/// \returns shape [p], or the sum of the p of the IPUs
poplar::Tensor reduceScatterCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                         CollectiveOperator op, poplar::program::Sequence &prog,
                                         const CommGroup &group,
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {});
inline poplar::Tensor reduceScatterCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                                CollectiveOperator op,
                                                poplar::program::Sequence &prog,
                                                const poplar::DebugContext &debugContext = {},
                                                const poplar::OptionFlags &options = {}) {
  return reduceScatterCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
std::vector<poplar::Tensor>
reduceScatterCrossReplica(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                          CollectiveOperator op, poplar::program::Sequence &prog,
                          const CommGroup &group, const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {});
inline std::vector<poplar::Tensor>
reduceScatterCrossReplica(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                          CollectiveOperator op, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  return reduceScatterCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}

/// The same, written to \p destination.
void reduceScatterToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                            const poplar::Tensor &destination,
                                            CollectiveOperator op, poplar::program::Sequence &prog,
                                            const CommGroup &group,
                                            const poplar::DebugContext &debugContext = {},
                                            const poplar::OptionFlags &options = {});
inline void reduceScatterToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                                   const poplar::Tensor &destination,
                                                   CollectiveOperator op,
                                                   poplar::program::Sequence &prog,
                                                   const poplar::DebugContext &debugContext = {},
                                                   const poplar::OptionFlags &options = {}) {
  return reduceScatterToDestinationCrossReplica(graph, data, destination, op, prog, CommGroup(),
                                                debugContext, options);
}
void reduceScatterToDestinationCrossReplica(poplar::Graph &graph,
                                            const std::vector<poplar::Tensor> &data,
                                            const std::vector<poplar::Tensor> &destination,
                                            CollectiveOperator op, poplar::program::Sequence &prog,
                                            const CommGroup &group,
                                            const poplar::DebugContext &debugContext = {},
                                            const poplar::OptionFlags &options = {});
inline void reduceScatterToDestinationCrossReplica(poplar::Graph &graph,
                                                   const std::vector<poplar::Tensor> &data,
                                                   const std::vector<poplar::Tensor> &destination,
                                                   CollectiveOperator op,
                                                   poplar::program::Sequence &prog,
                                                   const poplar::DebugContext &debugContext = {},
                                                   const poplar::OptionFlags &options = {}) {
  return reduceScatterToDestinationCrossReplica(graph, data, destination, op, prog, CommGroup(),
                                                debugContext, options);
}

/// \returns shape [R] + that of \p data: slice r is from replica r
poplar::Tensor allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                     poplar::program::Sequence &prog, const CommGroup &group,
                                     const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {});
inline poplar::Tensor allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                            poplar::program::Sequence &prog,
                                            const poplar::DebugContext &debugContext = {},
                                            const poplar::OptionFlags &options = {}) {
  return allGatherCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}
std::vector<poplar::Tensor> allGatherCrossReplica(poplar::Graph &graph,
                                                  const std::vector<poplar::Tensor> &data,
                                                  poplar::program::Sequence &prog,
                                                  const CommGroup &group,
                                                  const poplar::DebugContext &debugContext = {},
                                                  const poplar::OptionFlags &options = {});
inline std::vector<poplar::Tensor> allGatherCrossReplica(
    poplar::Graph &graph, const std::vector<poplar::Tensor> &data, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {
  return allGatherCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}

/// The same, written to \p destination.
void allGatherToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                        const poplar::Tensor &destination,
                                        poplar::program::Sequence &prog, const CommGroup &group,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});
inline void allGatherToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                               const poplar::Tensor &destination,
                                               poplar::program::Sequence &prog,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {}) {
  return allGatherToDestinationCrossReplica(graph, data, destination, prog, CommGroup(),
                                            debugContext, options);
}
void allGatherToDestinationCrossReplica(poplar::Graph &graph,
                                        const std::vector<poplar::Tensor> &data,
                                        const std::vector<poplar::Tensor> &destination,
                                        poplar::program::Sequence &prog, const CommGroup &group,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});
inline void allGatherToDestinationCrossReplica(poplar::Graph &graph,
                                               const std::vector<poplar::Tensor> &data,
                                               const std::vector<poplar::Tensor> &destination,
                                               poplar::program::Sequence &prog,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {}) {
  return allGatherToDestinationCrossReplica(graph, data, destination, prog, CommGroup(),
                                            debugContext, options);
}

/// \p data has shape [R, ...]. Slice j of replica i becomes slice i of replica j.
poplar::Tensor allToAllCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                    poplar::program::Sequence &prog, const CommGroup &group,
                                    const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {});
inline poplar::Tensor allToAllCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                           poplar::program::Sequence &prog,
                                           const poplar::DebugContext &debugContext = {},
                                           const poplar::OptionFlags &options = {}) {
  return allToAllCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}
std::vector<poplar::Tensor> allToAllCrossReplica(poplar::Graph &graph,
                                                 const std::vector<poplar::Tensor> &data,
                                                 poplar::program::Sequence &prog,
                                                 const CommGroup &group,
                                                 const poplar::DebugContext &debugContext = {},
                                                 const poplar::OptionFlags &options = {});
inline std::vector<poplar::Tensor>
allToAllCrossReplica(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                     const poplar::OptionFlags &options = {}) {
  return allToAllCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}

/// The data of replica \p root of each group, on all replicas of the group. \p root is a rank in the group.
poplar::Tensor broadcastCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                     poplar::program::Sequence &prog, const CommGroup &group,
                                     unsigned root, const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {});
inline poplar::Tensor broadcastCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                            poplar::program::Sequence &prog,
                                            const poplar::DebugContext &debugContext = {},
                                            const poplar::OptionFlags &options = {}) {
  return broadcastCrossReplica(graph, data, prog, CommGroup(), 0, debugContext, options);
}
std::vector<poplar::Tensor> broadcastCrossReplica(poplar::Graph &graph,
                                                  const std::vector<poplar::Tensor> &data,
                                                  poplar::program::Sequence &prog,
                                                  const CommGroup &group, unsigned root,
                                                  const poplar::DebugContext &debugContext = {},
                                                  const poplar::OptionFlags &options = {});
inline std::vector<poplar::Tensor> broadcastCrossReplica(
    poplar::Graph &graph, const std::vector<poplar::Tensor> &data, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {
  return broadcastCrossReplica(graph, data, prog, CommGroup(), 0, debugContext, options);
}

/// The same, written to \p destination.
void broadcastToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                        const poplar::Tensor &destination,
                                        poplar::program::Sequence &prog, const CommGroup &group,
                                        unsigned root,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});
inline void broadcastToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                               const poplar::Tensor &destination,
                                               poplar::program::Sequence &prog,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {}) {
  return broadcastToDestinationCrossReplica(graph, data, destination, prog, CommGroup(), 0,
                                            debugContext, options);
}
void broadcastToDestinationCrossReplica(poplar::Graph &graph,
                                        const std::vector<poplar::Tensor> &data,
                                        const std::vector<poplar::Tensor> &destination,
                                        poplar::program::Sequence &prog, const CommGroup &group,
                                        unsigned root,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});
inline void broadcastToDestinationCrossReplica(poplar::Graph &graph,
                                               const std::vector<poplar::Tensor> &data,
                                               const std::vector<poplar::Tensor> &destination,
                                               poplar::program::Sequence &prog,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {}) {
  return broadcastToDestinationCrossReplica(graph, data, destination, prog, CommGroup(), 0,
                                            debugContext, options);
}

// Collectives between the IPUs of one replica. \p toReduce has shape [IPUs][n], and row i lies on
// IPU i. MEAN and SQUARE_ADD are not supported.

/// \returns one chunk for each IPU, on that IPU, of the reduction over the rows: chunk i has
/// elements [i p, (i + 1) p) with p = ceil(n / IPUs), as far as there are such
Chunks reduceScatterWithinReplica(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                  CollectiveOperator op, poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
/// \returns shape [IPUs][total]: on each IPU the chunks, by offset and index
poplar::Tensor allGatherWithinReplica(poplar::Graph &graph, const Chunks &toGather,
                                      poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {});
/// \returns the shape of \p toReduce: every row is the reduction
poplar::Tensor allReduceWithinReplica(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                      CollectiveOperator op, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {});

// Names of SDK 2.0 to 2.2.

inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &data,
                                CollectiveOperator op, poplar::program::Sequence &prog,
                                const CommGroup &group,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {}) {
  return allReduceCrossReplica(graph, data, op, prog, group, debugContext, options);
}
inline poplar::Tensor allReduce(poplar::Graph &graph, const poplar::Tensor &data,
                                CollectiveOperator op, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {}) {
  return allReduceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
inline std::vector<poplar::Tensor>
allReduce(poplar::Graph &graph, const std::vector<poplar::Tensor> &data, CollectiveOperator op,
          poplar::program::Sequence &prog, const CommGroup &group,
          const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {
  return allReduceCrossReplica(graph, data, op, prog, group, debugContext, options);
}
inline std::vector<poplar::Tensor> allReduce(poplar::Graph &graph,
                                             const std::vector<poplar::Tensor> &data,
                                             CollectiveOperator op, poplar::program::Sequence &prog,
                                             const poplar::DebugContext &debugContext = {},
                                             const poplar::OptionFlags &options = {}) {
  return allReduceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
inline void allReduceToDestination(poplar::Graph &graph, const poplar::Tensor &data,
                                   const poplar::Tensor &destination, CollectiveOperator op,
                                   poplar::program::Sequence &prog, const CommGroup &group,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return allReduceToDestinationCrossReplica(graph, data, destination, op, prog, group, debugContext,
                                            options);
}
inline void allReduceToDestination(poplar::Graph &graph, const poplar::Tensor &data,
                                   const poplar::Tensor &destination, CollectiveOperator op,
                                   poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return allReduceToDestinationCrossReplica(graph, data, destination, op, prog, CommGroup(),
                                            debugContext, options);
}
inline void allReduceToDestination(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                                   const std::vector<poplar::Tensor> &destination,
                                   CollectiveOperator op, poplar::program::Sequence &prog,
                                   const CommGroup &group,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return allReduceToDestinationCrossReplica(graph, data, destination, op, prog, group, debugContext,
                                            options);
}
inline void allReduceToDestination(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                                   const std::vector<poplar::Tensor> &destination,
                                   CollectiveOperator op, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return allReduceToDestinationCrossReplica(graph, data, destination, op, prog, CommGroup(),
                                            debugContext, options);
}
inline void allReduceInPlace(poplar::Graph &graph, const poplar::Tensor &data,
                             CollectiveOperator op, poplar::program::Sequence &prog,
                             const CommGroup &group, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  return allReduceInPlaceCrossReplica(graph, data, op, prog, group, debugContext, options);
}
inline void allReduceInPlace(poplar::Graph &graph, const poplar::Tensor &data,
                             CollectiveOperator op, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  return allReduceInPlaceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
inline void allReduceInPlace(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                             CollectiveOperator op, poplar::program::Sequence &prog,
                             const CommGroup &group, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  return allReduceInPlaceCrossReplica(graph, data, op, prog, group, debugContext, options);
}
inline void allReduceInPlace(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                             CollectiveOperator op, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  return allReduceInPlaceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
inline poplar::Tensor reduceScatter(poplar::Graph &graph, const poplar::Tensor &data,
                                    CollectiveOperator op, poplar::program::Sequence &prog,
                                    const CommGroup &group,
                                    const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {}) {
  return reduceScatterCrossReplica(graph, data, op, prog, group, debugContext, options);
}
inline poplar::Tensor reduceScatter(poplar::Graph &graph, const poplar::Tensor &data,
                                    CollectiveOperator op, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {}) {
  return reduceScatterCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
inline std::vector<poplar::Tensor>
reduceScatter(poplar::Graph &graph, const std::vector<poplar::Tensor> &data, CollectiveOperator op,
              poplar::program::Sequence &prog, const CommGroup &group,
              const poplar::DebugContext &debugContext = {},
              const poplar::OptionFlags &options = {}) {
  return reduceScatterCrossReplica(graph, data, op, prog, group, debugContext, options);
}
inline std::vector<poplar::Tensor>
reduceScatter(poplar::Graph &graph, const std::vector<poplar::Tensor> &data, CollectiveOperator op,
              poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
              const poplar::OptionFlags &options = {}) {
  return reduceScatterCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
inline void reduceScatterToDestination(poplar::Graph &graph, const poplar::Tensor &data,
                                       const poplar::Tensor &destination, CollectiveOperator op,
                                       poplar::program::Sequence &prog, const CommGroup &group,
                                       const poplar::DebugContext &debugContext = {},
                                       const poplar::OptionFlags &options = {}) {
  return reduceScatterToDestinationCrossReplica(graph, data, destination, op, prog, group,
                                                debugContext, options);
}
inline void reduceScatterToDestination(poplar::Graph &graph, const poplar::Tensor &data,
                                       const poplar::Tensor &destination, CollectiveOperator op,
                                       poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext = {},
                                       const poplar::OptionFlags &options = {}) {
  return reduceScatterToDestinationCrossReplica(graph, data, destination, op, prog, CommGroup(),
                                                debugContext, options);
}
inline void reduceScatterToDestination(poplar::Graph &graph,
                                       const std::vector<poplar::Tensor> &data,
                                       const std::vector<poplar::Tensor> &destination,
                                       CollectiveOperator op, poplar::program::Sequence &prog,
                                       const CommGroup &group,
                                       const poplar::DebugContext &debugContext = {},
                                       const poplar::OptionFlags &options = {}) {
  return reduceScatterToDestinationCrossReplica(graph, data, destination, op, prog, group,
                                                debugContext, options);
}
inline void reduceScatterToDestination(poplar::Graph &graph,
                                       const std::vector<poplar::Tensor> &data,
                                       const std::vector<poplar::Tensor> &destination,
                                       CollectiveOperator op, poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext = {},
                                       const poplar::OptionFlags &options = {}) {
  return reduceScatterToDestinationCrossReplica(graph, data, destination, op, prog, CommGroup(),
                                                debugContext, options);
}
inline poplar::Tensor allGather(poplar::Graph &graph, const poplar::Tensor &data,
                                poplar::program::Sequence &prog, const CommGroup &group,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {}) {
  return allGatherCrossReplica(graph, data, prog, group, debugContext, options);
}
inline poplar::Tensor allGather(poplar::Graph &graph, const poplar::Tensor &data,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {}) {
  return allGatherCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}
inline std::vector<poplar::Tensor>
allGather(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
          poplar::program::Sequence &prog, const CommGroup &group,
          const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {
  return allGatherCrossReplica(graph, data, prog, group, debugContext, options);
}
inline std::vector<poplar::Tensor> allGather(poplar::Graph &graph,
                                             const std::vector<poplar::Tensor> &data,
                                             poplar::program::Sequence &prog,
                                             const poplar::DebugContext &debugContext = {},
                                             const poplar::OptionFlags &options = {}) {
  return allGatherCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}
inline void allGatherToDestination(poplar::Graph &graph, const poplar::Tensor &data,
                                   const poplar::Tensor &destination,
                                   poplar::program::Sequence &prog, const CommGroup &group,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return allGatherToDestinationCrossReplica(graph, data, destination, prog, group, debugContext,
                                            options);
}
inline void allGatherToDestination(poplar::Graph &graph, const poplar::Tensor &data,
                                   const poplar::Tensor &destination,
                                   poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return allGatherToDestinationCrossReplica(graph, data, destination, prog, CommGroup(),
                                            debugContext, options);
}
inline void allGatherToDestination(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                                   const std::vector<poplar::Tensor> &destination,
                                   poplar::program::Sequence &prog, const CommGroup &group,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return allGatherToDestinationCrossReplica(graph, data, destination, prog, group, debugContext,
                                            options);
}
inline void allGatherToDestination(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                                   const std::vector<poplar::Tensor> &destination,
                                   poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return allGatherToDestinationCrossReplica(graph, data, destination, prog, CommGroup(),
                                            debugContext, options);
}
inline poplar::Tensor allToAll(poplar::Graph &graph, const poplar::Tensor &data,
                               poplar::program::Sequence &prog, const CommGroup &group,
                               const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {}) {
  return allToAllCrossReplica(graph, data, prog, group, debugContext, options);
}
inline poplar::Tensor allToAll(poplar::Graph &graph, const poplar::Tensor &data,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {}) {
  return allToAllCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}
inline std::vector<poplar::Tensor> allToAll(poplar::Graph &graph,
                                            const std::vector<poplar::Tensor> &data,
                                            poplar::program::Sequence &prog, const CommGroup &group,
                                            const poplar::DebugContext &debugContext = {},
                                            const poplar::OptionFlags &options = {}) {
  return allToAllCrossReplica(graph, data, prog, group, debugContext, options);
}
inline std::vector<poplar::Tensor> allToAll(poplar::Graph &graph,
                                            const std::vector<poplar::Tensor> &data,
                                            poplar::program::Sequence &prog,
                                            const poplar::DebugContext &debugContext = {},
                                            const poplar::OptionFlags &options = {}) {
  return allToAllCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}
inline poplar::Tensor broadcast(poplar::Graph &graph, const poplar::Tensor &data,
                                poplar::program::Sequence &prog, const CommGroup &group,
                                unsigned root, const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {}) {
  return broadcastCrossReplica(graph, data, prog, group, root, debugContext, options);
}
inline poplar::Tensor broadcast(poplar::Graph &graph, const poplar::Tensor &data,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {}) {
  return broadcastCrossReplica(graph, data, prog, CommGroup(), 0, debugContext, options);
}
inline std::vector<poplar::Tensor>
broadcast(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
          poplar::program::Sequence &prog, const CommGroup &group, unsigned root,
          const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) {
  return broadcastCrossReplica(graph, data, prog, group, root, debugContext, options);
}
inline std::vector<poplar::Tensor> broadcast(poplar::Graph &graph,
                                             const std::vector<poplar::Tensor> &data,
                                             poplar::program::Sequence &prog,
                                             const poplar::DebugContext &debugContext = {},
                                             const poplar::OptionFlags &options = {}) {
  return broadcastCrossReplica(graph, data, prog, CommGroup(), 0, debugContext, options);
}
inline void broadcastToDestination(poplar::Graph &graph, const poplar::Tensor &data,
                                   const poplar::Tensor &destination,
                                   poplar::program::Sequence &prog, const CommGroup &group,
                                   unsigned root, const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return broadcastToDestinationCrossReplica(graph, data, destination, prog, group, root,
                                            debugContext, options);
}
inline void broadcastToDestination(poplar::Graph &graph, const poplar::Tensor &data,
                                   const poplar::Tensor &destination,
                                   poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return broadcastToDestinationCrossReplica(graph, data, destination, prog, CommGroup(), 0,
                                            debugContext, options);
}
inline void broadcastToDestination(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                                   const std::vector<poplar::Tensor> &destination,
                                   poplar::program::Sequence &prog, const CommGroup &group,
                                   unsigned root, const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return broadcastToDestinationCrossReplica(graph, data, destination, prog, group, root,
                                            debugContext, options);
}
inline void broadcastToDestination(poplar::Graph &graph, const std::vector<poplar::Tensor> &data,
                                   const std::vector<poplar::Tensor> &destination,
                                   poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {}) {
  return broadcastToDestinationCrossReplica(graph, data, destination, prog, CommGroup(), 0,
                                            debugContext, options);
}

} // namespace gcl
