#pragma once

#include <optional>
#include <string_view>

namespace copse::popc {

/// The pipeline in which an instruction of a worker is issued. One main and one aux instruction can
/// be issued together (compiler/worker_schedule.hpp). Source: the vendor's ISA document.
enum class Lane {
  Main,
  Aux,
  Alone ///< a call of a routine, which is issued alone
};

/// One instruction or routine that the tile's compiler makes of an LLVM instruction.
struct Issue {
  Lane lane = Lane::Main;
  unsigned cycles = 1; ///< [worker cycles]
};

/// Returns what a call of a function costs a worker, by its name ("expf", "llvm.sqrt.f32"). The
/// table has functions of the C library, builtins, and operations that popc inserts
/// (compiler/tile_operations.hpp). Returns nothing for other functions.
std::optional<Issue> libraryCost(std::string_view name);

/// Returns true if a function stands for an instruction of the tile, or for something that tiles do
/// not do. The cost of a call of it is known, and its own code costs nothing.
bool isBuiltin(std::string_view functionName);

/// Returns true if a function stands for an instruction of the tile.
bool standsForInstruction(std::string_view functionName);

} // namespace copse::popc
