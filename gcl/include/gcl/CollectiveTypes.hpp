#pragma once

#include <popops/CollectiveTypes.hpp>
#include <vector>

namespace gcl {

// SDK 2.2 had these types in popops, later ones here.
using CollectiveOperator = popops::CollectiveOperator;
using Chunk = popops::Chunk;
using Chunks = popops::Chunks;

enum class CommGroupType {
  ALL,         ///< one group of all replicas
  CONSECUTIVE, ///< of size k: {0, 1, ..., k - 1}, {k, ...}, ...
  ORTHOGONAL   ///< of size k, with m = N / k: {0, m, 2m, ...}, {1, m + 1, ...}, ...
};

/// Which replicas take part in a collective together.
struct CommGroup {
  CommGroup() = default;
  /// \param groupSize  replicas of one group; 0 with ALL
  CommGroup(CommGroupType groupType, unsigned groupSize)
      : type(groupType), replicaGroupSize(groupSize) {}
  /// \param groupStride  distance of neighbours in a group; 0: the one that belongs to the type
  CommGroup(CommGroupType groupType, unsigned groupSize, unsigned groupStride)
      : type(groupType), replicaGroupSize(groupSize), replicaGroupStride(groupStride) {}

  CommGroupType type = CommGroupType::ALL;
  unsigned replicaGroupSize = 0;
  unsigned replicaGroupStride = 0;
};

/// The groups of \p replicas replicas, shape [group][rank], replicas ascending in each.
/// \throws poputil::poplibs_error if the size (times the stride) does not divide their number
std::vector<std::vector<unsigned>> replicaGroups(const CommGroup &group, unsigned replicas);

} // namespace gcl
