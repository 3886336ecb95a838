#pragma once

#include <cstddef>
#include <cstdint>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Tensor.hpp>
#include <string>
#include <vector>

namespace gcl {

/// Reorders elements between a reference tensor and the order for collectives. That order has one
/// part after another, one for each replica, each with padding. This is plain data, which can be
/// stored and used without a graph.
class CollectiveBalancedHostRearrangement {
public:
  unsigned replicationFactor = 1;
  std::size_t totalElementsPerReplica = 0; ///< including padding
  /// Positions in collective order of the reference tensor's elements.
  std::vector<poplar::Interval> gatheredToRefSlices;

  unsigned getReplicationFactor() const { return replicationFactor; }
  void setReplicationFactor(unsigned n) { replicationFactor = n; }
  std::size_t getTotalElementsPerReplica() const { return totalElementsPerReplica; }
  void setTotalElementsPerReplica(std::size_t n) { totalElementsPerReplica = n; }
  const std::vector<poplar::Interval> &getGatheredToRefSlices() const {
    return gatheredToRefSlices;
  }
  void setGatheredToRefSlices(const std::vector<poplar::Interval> &slices) {
    gatheredToRefSlices = slices;
  }

  /// Returns the number of elements in collective order, replicationFactor *
  /// totalElementsPerReplica.
  std::size_t getNumRearrangedTensorElems() const;
  /// Copies elements into collective order.
  /// \param in            the reference tensor's elements
  /// \param out           getNumRearrangedTensorElems() elements; the padding becomes 0
  /// \param elemByteSize  size of one element
  void rearrangeForCollective(const char *in, char *out, std::int64_t elemByteSize) const;
  /// Copies elements in collective order back to the reference order.
  void undoRearrangeForCollective(const char *in, char *out, std::int64_t elemByteSize) const;
  // Overloads that check the numbers of elements.
  // \throws poputil::poplibs_error if they are too small
  void rearrangeForCollective(const char *in, std::int64_t inElements, char *out,
                              std::int64_t outElements, std::int64_t elemByteSize) const;
  void undoRearrangeForCollective(const char *in, std::int64_t inElements, char *out,
                                  std::int64_t outElements, std::int64_t elemByteSize) const;

private:
  std::size_t numReferenceElements() const;
};

/// A tensor may lie unevenly on tiles, so that collectives would have to exchange data within an
/// IPU. Lays out such a tensor in parts of rank 1, one for each replica. All parts are equally
/// large, and their pieces lie on the same tiles in equal amounts. So allGather and reduceScatter
/// need no exchange within an IPU.
class CollectiveBalancedReorder {
public:
  /// \param reference          completely mapped; only its shape and mapping matter
  /// \param replicationFactor  number of parts
  /// \param grainElements      each tile has a multiple of this number of elements of a part
  CollectiveBalancedReorder(poplar::Graph &graph, poplar::Tensor reference,
                            unsigned replicationFactor,
                            const poplar::DebugNameAndId &debugNameAndId,
                            bool allowElementMap = false, unsigned grainElements = 1);

  /// Adds a variable for one part, shape [totalElementsPerReplica], on the tiles of the reference.
  poplar::Tensor createReplicaSlice(const poplar::Type &type) const;
  /// Adds a variable for all parts, of rank 1, in collective order.
  poplar::Tensor createCollectivesTensor(const poplar::Type &type,
                                         const std::string &debugPrefix) const;
  /// Returns a view of \p tensor, which is in collective order, in the reference's shape.
  /// \throws poputil::poplibs_error  if \p tensor has another number of elements
  poplar::Tensor undoRearrangeForCollective(const poplar::Tensor &tensor) const;

  const std::vector<std::size_t> &getReferenceShape() const { return referenceShape_; }
  const CollectiveBalancedHostRearrangement &getHostRearrangement() const {
    return hostRearrangement_;
  }

private:
  void mapPart(const poplar::Tensor &part) const;

  poplar::Graph &graph_;
  std::vector<std::size_t> referenceShape_;
  poplar::DebugNameAndId debugNameAndId_;
  CollectiveBalancedHostRearrangement hostRearrangement_;
  std::vector<std::size_t> shares_; ///< elements of a part on each tile
};

} // namespace gcl
