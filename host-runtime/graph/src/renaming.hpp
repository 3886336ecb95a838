#pragma once

#include "regions.hpp"

#include <cstdint>
#include <vector>

namespace copse::graph {

/// Maps elements of some variables to elements of a new one: how a clone keeps the order and the
/// aliases of its source.
class Renaming {
public:
  /// One interval of old elements and where it begins in the new variable.
  struct Piece {
    ViewRegion old; ///< its position means nothing here
    std::uint64_t begin = 0;
    std::uint64_t copyStride = 0; ///< elements from one copy of the piece to the next
  };
  /// \param pieces  disjoint, in any order
  explicit Renaming(std::vector<Piece> pieces);

  const std::vector<Piece> &pieces() const { return pieces_; } ///< in the order of old elements

  /// \p view with elements of \p variable for its own. Every element of it must be in a piece.
  /// \param copy  where pieces are stored several times: which one to take
  View apply(const View &view, VariableId variable, std::uint64_t copy = 0) const;

private:
  const Piece &pieceOf(VariableId variable, std::uint64_t element) const;
  std::vector<Piece> pieces_;
};

} // namespace copse::graph
