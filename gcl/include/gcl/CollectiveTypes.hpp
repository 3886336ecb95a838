#pragma once

#include <iosfwd>
#include <vector>

// SDK 2.2 has these types in popops, and its popops has this header. Later SDKs have the types
// here.
#if __has_include(<popops/CollectiveTypes.hpp>)
#include <popops/CollectiveTypes.hpp>
#else
#include <poplar/Tensor.hpp>
#include <utility>

namespace popops {
enum class CollectiveOperator {
  ADD,
  MEAN,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,
  LOGICAL_OR,
  SQUARE_ADD,
  LOCAL ///< no reduction: each replica keeps its own data
};
std::ostream &operator<<(std::ostream &out, CollectiveOperator op);

/// The part of a tensor that one member of a ring has.
struct Chunk {
  Chunk() = default;
  Chunk(poplar::Tensor elements, unsigned ringIndex, unsigned offsetInRank)
      : tensor(std::move(elements)), index(ringIndex), offset(offsetInRank) {}
  poplar::Tensor tensor;
  unsigned index = 0;  ///< position in the ring
  unsigned offset = 0; ///< offset within a rank
};
struct Chunks {
  Chunks() = default;
  explicit Chunks(unsigned size) : chunks(size) {}
  poplar::Tensor originalInput;
  std::vector<Chunk> chunks;
};
} // namespace popops
#endif

namespace gcl {

using CollectiveOperator = popops::CollectiveOperator;
using Chunk = popops::Chunk;
using Chunks = popops::Chunks;

enum class CommGroupType {
  ALL,         ///< one group of all replicas
  CONSECUTIVE, ///< of size k: {0, 1, ..., k - 1}, {k, ...}, ...
  ORTHOGONAL   ///< of size k, with m = N / k: {0, m, 2m, ...}, {1, m + 1, ...}, ...
};

/// The groups of replicas that take part in a collective together.
struct CommGroup {
  CommGroup() = default;
  /// \param groupSize  number of replicas in a group; 0 with ALL
  CommGroup(CommGroupType groupType, unsigned groupSize)
      : type(groupType), replicaGroupSize(groupSize) {}
  /// \param groupStride  distance of neighbours in a group; 0: the distance that the type implies
  CommGroup(CommGroupType groupType, unsigned groupSize, unsigned groupStride)
      : type(groupType), replicaGroupSize(groupSize), replicaGroupStride(groupStride) {}

  CommGroupType type = CommGroupType::ALL;
  unsigned replicaGroupSize = 0;
  unsigned replicaGroupStride = 0;
};

/// Returns the groups of \p replicas replicas, shape [group][rank], with ascending replicas in
/// each.
/// \throws poputil::poplibs_error  if the size (times the stride) does not divide their number
std::vector<std::vector<unsigned>> replicaGroups(const CommGroup &group, unsigned replicas);

} // namespace gcl
