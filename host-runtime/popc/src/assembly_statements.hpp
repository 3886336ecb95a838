#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace copse::popc {

/// The parts of a statement of inline assembly that the compiler does not see.
struct AssemblyStatement {
  std::vector<std::string> clobbers; ///< clobbered registers of the tile: "$a2:3"
  /// Operands (outputs first) whose kind is passed as an additional input. These inputs are
  /// immediates and follow the user's, in this order.
  std::vector<unsigned> kinds;
  unsigned inputs = 0; ///< number of the user's inputs
  /// Registers of operands that are variables declared to live in a register ("$m2"), by operand
  /// (outputs first).
  std::map<unsigned, std::string> registers;
};

/// The kind that such an immediate gives: types that have 64 bits here and 32 bits on the tile.
enum class AssemblyOperandKind : unsigned { Other = 1, UnsignedLong = 2, Long = 3 };

/// An expanded source whose inline assembly the native compiler accepts.
struct SourceWithAssembly {
  std::string text;
  /// By the position in `text` where their strings begin.
  std::map<std::size_t, AssemblyStatement> statements;
};

/// Removes the tile's registers from clobbers and from declarations of variables, and adds the
/// kinds of operands. Lines keep their numbers.
/// \param expanded  preprocessed source with line markers
/// \param isC       true for C, false for C++
SourceWithAssembly withTileAssembly(const std::string &expanded, bool isC = false);

/// The place of a character in an expanded source: "file.cpp:12" and its parts.
struct SourcePlace {
  std::string file;
  unsigned line = 0;
  std::string text() const { return file + ":" + std::to_string(line); }
};
SourcePlace placeIn(const std::string &expanded, std::size_t offset);

} // namespace copse::popc
