#pragma once

#include <gcl/CollectiveTypes.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

/// \file
/// Collective operations. Each function appends its steps to \p prog.
///
/// "CrossReplica": \p graph is a replicated graph, and a tensor stands for one copy on each
/// replica. Replicas communicate within their group (CommGroup; default: all replicas). R is the
/// size of the group, and r the rank of a replica in it. With R = 1, reductions are copies
/// (SQUARE_ADD: squares). Overloads with vectors process several tensors at once, and tensors of
/// one type in the same exchanges. Names without the suffix are those of SDK 2.0 to 2.2.
///
/// Elements are always combined in one order, which depends only on the shapes, the mapping and the
/// options. So all replicas get identical bits in every run. MEAN is ADD divided by R; LOGICAL_AND
/// and LOGICAL_OR take BOOL; SQUARE_ADD adds squares; LOCAL keeps the replica's own data.
///
/// Options: `method`: auto (the default), clockwise_ring, anticlockwise_ring,
/// bidirectional_ring_pair, meet_in_middle_ring, quad_directional_ring (as
/// bidirectional_ring_pair), direct, broadcast, hierarchical. auto takes the fastest method
/// according to the cost model (README). The other options of Graphcore's library are accepted and
/// have no effect.
///
/// Errors: poputil::poplibs_error for shapes, types and groups that do not fit;
/// poplar::invalid_option.

namespace gcl {

///@{

/// Reduces \p data element by element over the group, to a new tensor. All of its replicas get the
/// result, which has the shape of \p data. \p data does not change.
///
/// \code
/// Tensor sum = allReduceCrossReplica(graph, gradients, CollectiveOperator::ADD, prog);
/// \endcode
/// \throws poputil::poplibs_error if type or group do not fit; poplar::invalid_option
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
///@}

///@{

/// Writes the reduction to \p destination, which has the shape of \p data and must be parallel
/// writeable; otherwise as allReduceCrossReplica().
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
///@}

///@{

/// Writes the reduction back to \p data, which must be parallel writeable; otherwise as
/// allReduceCrossReplica().
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
///@}

///@{

/// Reduces \p data, of shape [n], and scatters the result: replica r gets elements [r p, (r + 1) p)
/// with p = ceil(n / R), padded with zeros. If a replica has several IPUs, the elements of each IPU
/// are scattered separately, and the results are concatenated by IPU.
///
/// The result has shape [p], or the sum of all IPUs' p.
/// \throws poputil::poplibs_error if shape, type or group do not fit; poplar::invalid_option
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
///@}

///@{

/// Writes the result of reduceScatterCrossReplica() to \p destination, which has its shape.
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
///@}

///@{

/// Gathers \p data from all replicas of the group. The result has shape [R] + shape of \p data:
/// slice r comes from replica r.
/// \throws poputil::poplibs_error if type or group do not fit; poplar::invalid_option
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
///@}

///@{

/// Writes the result of allGatherCrossReplica() to \p destination, which has its shape.
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
///@}

///@{

/// Exchanges slices of \p data, of shape [R, ...]: replica i's slice j becomes slice i of replica
/// j.
/// \throws poputil::poplibs_error if shape, type or group do not fit; poplar::invalid_option
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
///@}

///@{

/// Returns the data of the replica with rank \p root, by default 0, on all replicas of its group.
/// \throws poputil::poplibs_error if type, group or rank do not fit; poplar::invalid_option
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
///@}

///@{

/// Writes the result of broadcastCrossReplica() to \p destination, which has its shape.
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
///@}

// Collective operations between the IPUs of one replica.

/// Reduces the rows of \p toReduce, and scatters the result.
/// \param toReduce  shape [IPUs, n]; row i lies on IPU i
/// \param op        MEAN and SQUARE_ADD are not supported
/// \returns one chunk for each IPU, on this IPU: with p = ceil(n / IPUs), chunk i has the elements
///   [i p, (i + 1) p), as far as they exist
/// \throws poputil::poplibs_error if shape, mapping, type or operator do not fit
Chunks reduceScatterWithinReplica(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                  CollectiveOperator op, poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
/// Gathers chunks on all IPUs.
/// \returns shape [IPUs, total]: on each IPU the chunks, ordered by offset and index
/// \throws poputil::poplibs_error if the chunks do not fit
poplar::Tensor allGatherWithinReplica(poplar::Graph &graph, const Chunks &toGather,
                                      poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {});
/// Reduces the rows of \p toReduce.
/// \param toReduce  shape [IPUs, n]; row i lies on IPU i
/// \param op        MEAN and SQUARE_ADD are not supported
/// \returns the shape of \p toReduce: every row is the reduction
/// \throws poputil::poplibs_error if shape, mapping, type or operator do not fit
poplar::Tensor allReduceWithinReplica(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                      CollectiveOperator op, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {});

///@{

/// Calls the function of the same name with the suffix CrossReplica. SDK 2.0 to 2.2 have the names
/// without the suffix.

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
///@}

} // namespace gcl
