#pragma once

#include "regions.hpp"

#include <cstdint>
#include <vector>

namespace copse::graph {

/// Maps elements of some variables to elements of a new one, so that a clone keeps the order and
/// the aliases of its source.
class Renaming {
public:
  /// An interval of old elements, and where it begins in the new variable.
  struct Piece {
    ViewRegion old; ///< its position is unused
    std::uint64_t begin = 0;
    std::uint64_t copyStride = 0; ///< distance between copies of the piece [elements]
  };
  /// \param pieces  disjoint, in any order
  explicit Renaming(std::vector<Piece> pieces);

  const std::vector<Piece> &pieces() const { return pieces_; } ///< in the order of old elements

  /// Returns \p view with its elements replaced by elements of \p variable. Every element must be
  /// in a piece.
  /// \param copy  number of the copy, if pieces are stored several times
  View apply(const View &view, VariableId variable, std::uint64_t copy = 0) const;

private:
  const Piece &pieceOf(VariableId variable, std::uint64_t element) const;
  std::vector<Piece> pieces_;
};

} // namespace copse::graph
