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

/// A module that does arithmetic as the tile does it, in two steps.
///
/// At first its operations that give halves, or vectors of them, and, where a program can make
/// events of them, its divisions are calls of functions without a body, "@copse.fadd.half2", which
/// do as TileArithmetic says: optimisers take them for what they are. Then the functions get their
/// bodies, to be inlined. Loops still vectorise, as what the program says is a word that no store
/// of theirs can reach (wire/codelet_abi.hpp, kHalfMaskSymbol).
class ModuleOfTile {
public:
  /// \param module  LLVM's text, as clang writes it, before any optimisation: each operation rounds
  ///        for itself
  ModuleOfTile(const std::string &module, TileArithmetic arithmetic);

  /// With calls; the functions are declared.
  const std::string &text() const { return text_; }
  /// \p module with the bodies of the functions.
  /// \param module  what has become of text()
  std::string withBodies(const std::string &module) const;

private:
  std::string text_, bodies_;
};

/// Both steps at once.
std::string withTileArithmetic(const std::string &module, TileArithmetic arithmetic);

} // namespace copse::popc
