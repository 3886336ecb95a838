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
  /// The number of replicas.
  unsigned replicationFactor = 1;
  /// The elements of a part, including padding.
  std::size_t totalElementsPerReplica = 0;
  /// The positions in collective order of the reference tensor's elements.
  std::vector<poplar::Interval> gatheredToRefSlices;

  ///@{

  /// Returns or sets the number of replicas.
  unsigned getReplicationFactor() const { return replicationFactor; }
  void setReplicationFactor(unsigned n) { replicationFactor = n; }
  ///@}

  ///@{

  /// Returns or sets the elements of a part.
  std::size_t getTotalElementsPerReplica() const { return totalElementsPerReplica; }
  void setTotalElementsPerReplica(std::size_t n) { totalElementsPerReplica = n; }
  ///@}

  ///@{

  /// Returns or sets the positions of the reference tensor's elements.
  const std::vector<poplar::Interval> &getGatheredToRefSlices() const {
    return gatheredToRefSlices;
  }
  void setGatheredToRefSlices(const std::vector<poplar::Interval> &slices) {
    gatheredToRefSlices = slices;
  }
  ///@}

  /// Returns the number of elements in collective order, replicationFactor *
  /// totalElementsPerReplica.
  std::size_t getNumRearrangedTensorElems() const;
  /// Copies elements into collective order.
  /// \param in            the reference tensor's elements
  /// \param out           getNumRearrangedTensorElems() elements; the padding becomes 0
  /// \param elemByteSize  size of one element [bytes]
  void rearrangeForCollective(const char *in, char *out, std::int64_t elemByteSize) const;
  /// Copies elements in collective order back to the reference order.
  void undoRearrangeForCollective(const char *in, char *out, std::int64_t elemByteSize) const;
  /// Copies as above, and checks the numbers of elements.
  /// \throws poputil::poplibs_error if they are too small
  void rearrangeForCollective(const char *in, std::int64_t inElements, char *out,
                              std::int64_t outElements, std::int64_t elemByteSize) const;
  /// Copies as above, and checks the numbers of elements.
  /// \throws poputil::poplibs_error if they are too small
  void undoRearrangeForCollective(const char *in, std::int64_t inElements, char *out,
                                  std::int64_t outElements, std::int64_t elemByteSize) const;

private:
  std::size_t numReferenceElements() const;
};

/// Lays out a tensor so that collectives need no exchange within an IPU. A tensor may lie unevenly
/// on tiles; this class gives it parts of rank 1, one for each replica. All parts are equally
/// large, and their pieces lie on the same tiles in equal amounts, as allGather and reduceScatter
/// need them.
class CollectiveBalancedReorder {
public:
  /// Makes the layout.
  /// \param reference          completely mapped; only its shape and mapping matter
  /// \param replicationFactor  number of parts
  /// \param allowElementMap    accepted for compatibility, without effect
  /// \param grainElements      default 1; each tile has a multiple of this number of elements of a
  ///   part
  /// \throws poputil::poplibs_error if a number is 0; poplar::invalid_tile_mapping if \p reference
  ///   is not mapped completely
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
  /// \throws poputil::poplibs_error if \p tensor has another number of elements
  poplar::Tensor undoRearrangeForCollective(const poplar::Tensor &tensor) const;

  /// Returns the shape of the reference.
  const std::vector<std::size_t> &getReferenceShape() const { return referenceShape_; }
  /// Returns the order, for the host.
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
