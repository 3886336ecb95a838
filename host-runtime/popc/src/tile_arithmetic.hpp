#pragma once

#include <string>

namespace copse::popc {

/// What of the tile's arithmetic a compiler does not know.
enum class TileArithmetic {
  /// Halves are rounded to nearest even, and what is too large becomes the largest one.
  Saturating,
  /// Likewise, unless the program says otherwise while it runs (poplar/CSRFunctions.hpp): then the
  /// tile is asked how to round, and no division is executed that the source would not, as it could
  /// be an event that stops the program.
  OfProgram
};

/// LLVM's text of a module in which operations that give halves, or vectors of them, and divisions
/// call functions that do them as \p arithmetic says. These stand at the end, to be inlined. Loops
/// still vectorise, as what the program says is a word that no store of theirs can reach
/// (wire/codelet_abi.hpp, kHalfMaskSymbol).
/// \param module  as clang writes it, before any optimisation: each operation rounds for itself
std::string withTileArithmetic(const std::string &module, TileArithmetic arithmetic);

} // namespace copse::popc
