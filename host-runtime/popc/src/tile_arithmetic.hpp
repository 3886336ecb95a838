#pragma once

#include <string>

namespace copse::popc {

/// Rules of the tile's arithmetic that a compiler does not know.
enum class TileArithmetic {
  /// Halves are rounded to nearest even, and a result that is too large becomes the largest half.
  Saturating,
  /// The program may change the rules while it runs (poplar/CSRFunctions.hpp); until then they are
  /// as with Saturating. The tile is asked how to round, and no division is executed speculatively,
  /// because it could be an event that stops the program.
  OfProgram
};

/// Native arithmetic rounds differently than the tile does. This class makes a module compute as
/// the tile does, in two steps.
///
/// First, its operations that return halves or vectors of them become calls of functions without a
/// body, such as "@copse.fadd.half2"; and so do its divisions, if a program can make events of
/// them. Optimisers may simplify the module around the calls. Then withBodies() gives the functions
/// bodies that do what TileArithmetic says and that are inlined. Loops are still vectorised,
/// because the program's settings are a word that no store of the module can reach
/// (wire/codelet_abi.hpp, kHalfMaskSymbol).
class ModuleOfTile {
public:
  /// \param module  unoptimised output of clang, in which each operation rounds for itself
  ModuleOfTile(const std::string &module, TileArithmetic arithmetic);

  /// Returns the module with calls, and with declarations of the functions.
  const std::string &text() const { return text_; }
  /// Adds the bodies of the functions to \p module.
  /// \param module  text(), possibly optimised
  std::string withBodies(const std::string &module) const;

private:
  std::string text_, bodies_;
};

/// Does both steps at once.
std::string withTileArithmetic(const std::string &module, TileArithmetic arithmetic);

} // namespace copse::popc
