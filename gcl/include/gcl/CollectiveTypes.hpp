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
/// The ways in which collectives combine elements.
enum class CollectiveOperator {
  ADD,
  MEAN,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,
  LOGICAL_OR,
  SQUARE_ADD,
  /// No reduction: each replica keeps its own data.
  LOCAL
};
/// Writes the enumerator's name.
std::ostream &operator<<(std::ostream &out, CollectiveOperator op);

/// Holds the part of a tensor that one member of a ring has.
struct Chunk {
  /// Makes a part without elements.
  Chunk() = default;
  /// Makes a part.
  Chunk(poplar::Tensor elements, unsigned ringIndex, unsigned offsetInRank)
      : tensor(std::move(elements)), index(ringIndex), offset(offsetInRank) {}
  /// The elements.
  poplar::Tensor tensor;
  /// The position in the ring.
  unsigned index = 0;
  /// The offset within a rank.
  unsigned offset = 0;
};
/// Holds the parts of a tensor that all members of a ring have.
struct Chunks {
  /// Makes no parts.
  Chunks() = default;
  /// Makes \p size parts without elements.
  explicit Chunks(unsigned size) : chunks(size) {}
  /// The tensor that the parts come from.
  poplar::Tensor originalInput;
  /// The parts.
  std::vector<Chunk> chunks;
};
} // namespace popops
#endif

/// Collective operations between replicas and between the IPUs of a replica. See User guide, 2.5.
namespace gcl {

/// The ways in which collectives combine elements.
using CollectiveOperator = popops::CollectiveOperator;
/// The part of a tensor that one member of a ring has.
using Chunk = popops::Chunk;
/// The parts of a tensor that all members of a ring have.
using Chunks = popops::Chunks;

/// The ways in which replicas form groups.
enum class CommGroupType {
  /// One group of all replicas.
  ALL,
  /// Groups of size k: {0, 1, ..., k - 1}, {k, ...}, ...
  CONSECUTIVE,
  /// Groups of size k, with m = N / k: {0, m, 2m, ...}, {1, m + 1, ...}, ...
  ORTHOGONAL
};

/// Describes the groups of replicas that take part in a collective together.
struct CommGroup {
  /// Makes one group of all replicas.
  CommGroup() = default;
  /// Makes groups of a type.
  /// \param groupSize  number of replicas in a group; 0 with ALL
  CommGroup(CommGroupType groupType, unsigned groupSize)
      : type(groupType), replicaGroupSize(groupSize) {}
  /// Makes groups of a type.
  /// \param groupStride  distance of neighbours in a group; 0: the distance that the type implies
  CommGroup(CommGroupType groupType, unsigned groupSize, unsigned groupStride)
      : type(groupType), replicaGroupSize(groupSize), replicaGroupStride(groupStride) {}

  /// The type.
  CommGroupType type = CommGroupType::ALL;
  /// The number of replicas in a group; 0 with ALL.
  unsigned replicaGroupSize = 0;
  /// The distance of neighbours in a group; 0: the distance that the type implies.
  unsigned replicaGroupStride = 0;
};

/// Returns the groups of \p replicas replicas, shape [group, rank], with ascending replicas in
/// each.
/// \throws poputil::poplibs_error if the size (times the stride) does not divide their number
std::vector<std::vector<unsigned>> replicaGroups(const CommGroup &group, unsigned replicas);

} // namespace gcl
