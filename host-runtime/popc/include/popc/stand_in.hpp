#pragma once

#include "popc/vertex_type.hpp"

#include <memory>
#include <string>
#include <vector>

namespace copse::popc {

/// A symbol whose address inline assembly loads: the codelet that a supervisor starts.
struct UsedSymbol {
  std::string name;
  std::string file; ///< where the first such statement is
  std::uint32_t line = 0;
};

/// The tile's features that inline assembly in C++ uses.
struct TileCodeUse {
  std::vector<UsedSymbol> symbols;
  bool bySupervisor = false; ///< it has instructions of the supervisor
  bool isEmpty() const { return symbols.empty() && !bySupervisor; }
  void add(const UsedSymbol &symbol);
  void add(const TileCodeUse &other);
};

/// Inline assembly in C++ may load addresses of tile code, which a linker has to place. Returns
/// tile code (Module::object) with one entry that is never executed and that loads these addresses.
/// Because of this entry the linker puts the code on the tiles of the supervisors, or gives entries
/// to native code.
/// \returns null for an empty \p use
std::shared_ptr<const assembler::Object> standInFor(const TileCodeUse &use, Architecture arch);

/// Returns the use that standInFor() made \p standIn from.
TileCodeUse useOf(const assembler::Object &standIn);

/// Returns the symbol of the entry in a C++ module's stand-in; empty if the module has none.
std::string standInOf(const Module &module);

} // namespace copse::popc
