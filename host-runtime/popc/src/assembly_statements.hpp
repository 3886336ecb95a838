#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace copse::popc {

/// What a statement of inline assembly says that the compiler is not told.
struct AssemblyStatement {
  std::vector<std::string> clobbers; ///< of the tile's registers: "$a2:3"
  /// Operands, outputs first, whose kind stands among the inputs: behind those of the user, in this
  /// order, each an immediate.
  std::vector<unsigned> kinds;
  unsigned inputs = 0; ///< of the user
  /// By operand, outputs first: the register of a variable that is declared to live in one ("$m2").
  std::map<unsigned, std::string> registers;
};

/// What such an immediate says: types that have 64 bits here and 32 on the tile.
enum class AssemblyOperandKind : unsigned { Other = 1, UnsignedLong = 2, Long = 3 };

/// An expanded source whose inline assembly the compiler of this machine takes.
struct SourceWithAssembly {
  std::string text;
  std::map<std::size_t, AssemblyStatement> statements; ///< by where in `text` their strings begin
};

/// Takes the tile's registers out of clobbers and of declarations of variables, and adds kinds of operands. Lines stay where they
/// are.
/// \param expanded  with line markers, as the preprocessor writes it
/// \param isC  it is C, else C++
SourceWithAssembly withTileAssembly(const std::string &expanded, bool isC = false);

/// "file.cpp:12" and its parts, of a character of an expanded source.
struct SourcePlace {
  std::string file;
  unsigned line = 0;
  std::string text() const { return file + ":" + std::to_string(line); }
};
SourcePlace placeIn(const std::string &expanded, std::size_t offset);

} // namespace copse::popc
