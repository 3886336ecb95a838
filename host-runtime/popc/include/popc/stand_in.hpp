#pragma once

#include "popc/vertex_type.hpp"

#include <memory>
#include <string>
#include <vector>

namespace copse::popc {

/// A symbol whose address inline assembly loads: a codelet that a supervisor starts.
struct UsedSymbol {
  std::string name;
  std::string file; ///< of the first statement
  std::uint32_t line = 0;
};

/// What inline assembly in C++ needs of the tile.
struct TileCodeUse {
  std::vector<UsedSymbol> symbols;
  bool bySupervisor = false; ///< it has instructions of the supervisor
  bool isEmpty() const { return symbols.empty() && !bySupervisor; }
  void add(const UsedSymbol &symbol);
  void add(const TileCodeUse &other);
};

/// The tile code of a C++ module that has such assembly, Module::object: one entry, which is never
/// executed and loads those addresses. So a linker puts what they lead to on the tiles of its
/// supervisors, or gives native code its entries.
/// \returns null for an empty \p use
std::shared_ptr<const assembler::Object> standInFor(const TileCodeUse &use, Architecture arch);

/// The reverse.
TileCodeUse useOf(const assembler::Object &standIn);

/// The symbol of the entry in the stand-in of a C++ module; empty if the module has none.
std::string standInOf(const Module &module);

} // namespace copse::popc
