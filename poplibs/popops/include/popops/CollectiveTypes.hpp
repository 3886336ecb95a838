#pragma once

#include <iosfwd>
#include <poplar/Tensor.hpp>
#include <popops/OperationDef.hpp>
#include <utility>
#include <vector>

namespace popops {

/// How collectives between IPUs combine elements.
enum class CollectiveOperator {
  ADD,
  MEAN,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,
  LOGICAL_OR,
  SQUARE_ADD,
  LOCAL ///< not at all: everybody keeps its own
};

/// Writes the enumerator's name.
std::ostream &operator<<(std::ostream &out, CollectiveOperator op);
/// The operator of the same name.
/// \throws poputil::poplibs_error for LOG_ADD, which has none
CollectiveOperator operationToCollectiveOperator(const Operation &col);

/// What one member of a ring has of a tensor.
struct Chunk {
  Chunk() = default;
  Chunk(poplar::Tensor elements, unsigned ringIndex, unsigned offsetInRank)
      : tensor(std::move(elements)), index(ringIndex), offset(offsetInRank) {}
  poplar::Tensor tensor;
  unsigned index = 0;  ///< in the ring
  unsigned offset = 0; ///< within a rank
};
struct Chunks {
  Chunks() = default;
  explicit Chunks(unsigned size) : chunks(size) {}
  poplar::Tensor originalInput;
  std::vector<Chunk> chunks;
};

} // namespace popops
