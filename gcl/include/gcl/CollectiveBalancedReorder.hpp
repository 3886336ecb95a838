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

/// Between the order of a reference tensor and the order for collectives: part after part, one for
/// each replica, each with padding. Plain data, which can be stored and used without a graph.
class CollectiveBalancedHostRearrangement {
public:
  unsigned replicationFactor = 1;
  std::size_t totalElementsPerReplica = 0; ///< with padding
  /// Where the elements of the reference tensor, in their order, stand in collective order.
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

  /// Elements in collective order: replicationFactor * totalElementsPerReplica.
  std::size_t getNumRearrangedTensorElems() const;
  /// \param in   the reference tensor's elements
  /// \param out  getNumRearrangedTensorElems() elements; the padding becomes 0
  /// \param elemByteSize  of one element
  void rearrangeForCollective(const char *in, char *out, std::int64_t elemByteSize) const;
  /// The way back.
  void undoRearrangeForCollective(const char *in, char *out, std::int64_t elemByteSize) const;
  // With the numbers of elements that are there.
  // \throws poputil::poplibs_error if they are too few
  void rearrangeForCollective(const char *in, std::int64_t inElements, char *out,
                              std::int64_t outElements, std::int64_t elemByteSize) const;
  void undoRearrangeForCollective(const char *in, std::int64_t inElements, char *out,
                                  std::int64_t outElements, std::int64_t elemByteSize) const;

private:
  std::size_t numReferenceElements() const;
};

/// Lays out a tensor, however uneven it lies on tiles, so that each replica gets an equal part of
/// rank 1 whose pieces lie on the same tiles in the same amounts for every replica: what allGather
/// and reduceScatter need no exchange within an IPU for.
class CollectiveBalancedReorder {
public:
  /// \param reference          completely mapped; only its shape and mapping matter
  /// \param replicationFactor  number of parts
  /// \param grainElements      a tile's share of a part is a multiple of it
  CollectiveBalancedReorder(poplar::Graph &graph, poplar::Tensor reference,
                            unsigned replicationFactor,
                            const poplar::DebugNameAndId &debugNameAndId,
                            bool allowElementMap = false, unsigned grainElements = 1);

  /// A variable for one part, shape [totalElementsPerReplica], on the tiles of the reference.
  poplar::Tensor createReplicaSlice(const poplar::Type &type) const;
  /// A variable for all parts, of rank 1, in collective order.
  poplar::Tensor createCollectivesTensor(const poplar::Type &type,
                                         const std::string &debugPrefix) const;
  /// A view of \p tensor, which is in collective order, in the reference's shape.
  /// \throws poputil::poplibs_error if its number of elements is another
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
  std::vector<std::size_t> shares_; ///< of a part, on each tile
};

} // namespace gcl
