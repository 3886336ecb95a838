#pragma once

#include <iosfwd>
#include <poplar/Tensor.hpp>
#include <popops/OperationDef.hpp>
#include <utility>
#include <vector>

namespace popops {

/// The ways in which collectives between IPUs combine elements.
enum class CollectiveOperator {
  ADD,
  MEAN,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,
  LOGICAL_OR,
  SQUARE_ADD,
  /// None: every member keeps its own elements.
  LOCAL
};

/// Writes the enumerator's name.
std::ostream &operator<<(std::ostream &out, CollectiveOperator op);
/// Returns the operator of the same name.
/// \throws poputil::poplibs_error for LOG_ADD, which has no collective operator
CollectiveOperator operationToCollectiveOperator(const Operation &col);

/// Holds the part of a tensor that one member of a ring has.
struct Chunk {
  /// Makes a part without elements.
  Chunk() = default;
  /// Makes a part.
  Chunk(poplar::Tensor elements, unsigned ringIndex, unsigned offsetInRank)
      : tensor(std::move(elements)), index(ringIndex), offset(offsetInRank) {}
  /// The elements.
  poplar::Tensor tensor;
  /// The member of the ring.
  unsigned index = 0;
  /// The place within a rank.
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
