#pragma once

#include <string>

namespace poplar {

/// The ways in which the elements of a clone are stored.
enum class TensorCloneMethod {
  /// In the source's order; positions that are the same element in the source are the same element
  /// in the clone.
  PRESERVE_ORDER_AND_ALIASES,
  /// A new variable, row-major in the shape, without aliases.
  CREATE_NEW_ORDER,
  /// In the source's order, or like CREATE_NEW_ORDER if the source has aliases.
  PRESERVE_ORDER_UNLESS_ALIASES,
  /// Like PRESERVE_ORDER_AND_ALIASES, but the elements of each tile are gathered into one
  /// contiguous piece.
  GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
};

/// The ways in which the N copies of Graph::cloneN() lie beside each other.
enum class TensorCloneDuplicationMethod {
  DUPLICATE_BY_OUTER_DIMENSION,       ///< one whole clone after the other
  DUPLICATE_BY_TILE_CONTIGUOUS_REGION ///< for each contiguous piece of a tile, its N copies
                                      ///< together
};

/// Returns the enumerator's name.
std::string toString(TensorCloneMethod method);

} // namespace poplar
