#include <algorithm>
#include <cstring>
#include <gcl/CollectiveBalancedReorder.hpp>
#include <poputil/exceptions.hpp>

namespace gcl {
namespace {

void checkEnough(const char *what, std::int64_t there, std::size_t needed) {
  if (there < 0 || static_cast<std::size_t>(there) < needed)
    throw poputil::poplibs_error(std::string(what) + " has " + std::to_string(there) +
                                 " elements, but " + std::to_string(needed) + " are needed");
}

/// A run of elements of the reference, and its place in collective order.
struct GatheredRun {
  std::size_t reference, gathered, count;
};

} // namespace

std::size_t CollectiveBalancedHostRearrangement::getNumRearrangedTensorElems() const {
  return replicationFactor * totalElementsPerReplica;
}

std::size_t CollectiveBalancedHostRearrangement::numReferenceElements() const {
  std::size_t n = 0;
  for (const poplar::Interval &slice : gatheredToRefSlices)
    n += slice.size();
  return n;
}

void CollectiveBalancedHostRearrangement::rearrangeForCollective(const char *in, char *out,
                                                                 std::int64_t elemByteSize) const {
  const auto size = static_cast<std::size_t>(elemByteSize);
  std::memset(out, 0, getNumRearrangedTensorElems() * size);
  for (const poplar::Interval &slice : gatheredToRefSlices) {
    std::memcpy(out + slice.begin() * size, in, slice.size() * size);
    in += slice.size() * size;
  }
}

void CollectiveBalancedHostRearrangement::undoRearrangeForCollective(
    const char *in, char *out, std::int64_t elemByteSize) const {
  const auto size = static_cast<std::size_t>(elemByteSize);
  for (const poplar::Interval &slice : gatheredToRefSlices) {
    std::memcpy(out, in + slice.begin() * size, slice.size() * size);
    out += slice.size() * size;
  }
}

void CollectiveBalancedHostRearrangement::rearrangeForCollective(const char *in,
                                                                 std::int64_t inElements, char *out,
                                                                 std::int64_t outElements,
                                                                 std::int64_t elemByteSize) const {
  checkEnough("rearrangeForCollective: the input", inElements, numReferenceElements());
  checkEnough("rearrangeForCollective: the output", outElements, getNumRearrangedTensorElems());
  rearrangeForCollective(in, out, elemByteSize);
}

void CollectiveBalancedHostRearrangement::undoRearrangeForCollective(
    const char *in, std::int64_t inElements, char *out, std::int64_t outElements,
    std::int64_t elemByteSize) const {
  checkEnough("undoRearrangeForCollective: the input", inElements, getNumRearrangedTensorElems());
  checkEnough("undoRearrangeForCollective: the output", outElements, numReferenceElements());
  undoRearrangeForCollective(in, out, elemByteSize);
}

CollectiveBalancedReorder::CollectiveBalancedReorder(poplar::Graph &graph, poplar::Tensor reference,
                                                     unsigned replicationFactor,
                                                     const poplar::DebugNameAndId &debugNameAndId,
                                                     bool, unsigned grainElements)
    : graph_(graph), referenceShape_(reference.shape()), debugNameAndId_(debugNameAndId) {
  if (replicationFactor == 0 || grainElements == 0)
    throw poputil::poplibs_error("CollectiveBalancedReorder: the replication factor and the grain "
                                 "must be at least 1");
  const auto mapping = graph.getTileMapping(reference.flatten());
  const std::size_t unit = std::size_t{replicationFactor} * grainElements;
  hostRearrangement_.replicationFactor = replicationFactor;
  for (const auto &intervals : mapping) {
    std::size_t elements = 0;
    for (const poplar::Interval &interval : intervals)
      elements += interval.size();
    shares_.push_back((elements + unit - 1) / unit * grainElements);
    hostRearrangement_.totalElementsPerReplica += shares_.back();
  }
  std::vector<GatheredRun> places;
  std::size_t firstOfTile = 0; ///< offset within a part
  for (std::size_t tile = 0; tile < mapping.size(); ++tile) {
    std::size_t at = 0; ///< offset within the tile's elements
    for (const poplar::Interval &interval : mapping[tile])
      for (std::size_t i = interval.begin(); i < interval.end();) {
        const std::size_t part = at / shares_[tile], offset = at % shares_[tile];
        const std::size_t count = std::min(interval.end() - i, shares_[tile] - offset);
        places.push_back(
            {i, part * hostRearrangement_.totalElementsPerReplica + firstOfTile + offset, count});
        at += count;
        i += count;
      }
    firstOfTile += shares_[tile];
  }
  std::sort(places.begin(), places.end(),
            [](const GatheredRun &a, const GatheredRun &b) { return a.reference < b.reference; });
  auto &slices = hostRearrangement_.gatheredToRefSlices;
  for (const GatheredRun &place : places)
    if (!slices.empty() && slices.back().end() == place.gathered)
      slices.back() = poplar::Interval(slices.back().begin(), place.gathered + place.count);
    else
      slices.emplace_back(place.gathered, place.gathered + place.count);
}

void CollectiveBalancedReorder::mapPart(const poplar::Tensor &part) const {
  std::size_t at = 0;
  for (unsigned tile = 0; tile < shares_.size(); ++tile) {
    graph_.setTileMapping(part.slice(at, at + shares_[tile]), tile);
    at += shares_[tile];
  }
}

poplar::Tensor CollectiveBalancedReorder::createReplicaSlice(const poplar::Type &type) const {
  const poplar::Tensor part = graph_.addVariable(type, {hostRearrangement_.totalElementsPerReplica},
                                                 {debugNameAndId_, "slice"});
  mapPart(part);
  return part;
}

poplar::Tensor
CollectiveBalancedReorder::createCollectivesTensor(const poplar::Type &type,
                                                   const std::string &debugPrefix) const {
  const std::size_t each = hostRearrangement_.totalElementsPerReplica;
  const poplar::Tensor all =
      graph_.addVariable(type, {hostRearrangement_.getNumRearrangedTensorElems()},
                         {debugNameAndId_, debugPrefix + "/collectives"});
  for (std::size_t at = 0; at < all.numElements(); at += each)
    mapPart(all.slice(at, at + each));
  return all;
}

poplar::Tensor
CollectiveBalancedReorder::undoRearrangeForCollective(const poplar::Tensor &tensor) const {
  if (tensor.numElements() != hostRearrangement_.getNumRearrangedTensorElems())
    throw poputil::poplibs_error("undoRearrangeForCollective: the tensor has " +
                                 std::to_string(tensor.numElements()) + " elements, not " +
                                 std::to_string(hostRearrangement_.getNumRearrangedTensorElems()));
  const poplar::Tensor flat = tensor.flatten();
  if (hostRearrangement_.gatheredToRefSlices.empty())
    return flat.reshape(referenceShape_);
  return poplar::concat(flat.slices(hostRearrangement_.gatheredToRefSlices))
      .reshape(referenceShape_);
}

} // namespace gcl
