#pragma once

#include "tile_operations.hpp"

#include "popc/vertex_type.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace copse::popc {

/// One run of the program, by its arguments:
///
///     codelet-compiler KEY=VALUE... -- SIMPLIFIER... -- GENERATOR...
struct Job {
  std::string source;           ///< its file, for messages
  std::filesystem::path folder; ///< for the objects `0.o`, `1.o`, ..., or for `assembly`
  Architecture arch = Architecture::Cpu;
  std::optional<TileArithmetic> arithmetic; ///< nothing: halves are no type of the target
  bool isCounted = true;
  std::string checksWithHeaders; ///< folder of the device headers; empty: accesses go unchecked
  bool isDebugged = false;
  bool writesAssembly = false;
  /// Arguments of clang for simplifying a module whose cycles are to be counted, and for generating
  /// code.
  std::vector<std::string> simplifier, generator;
};

/// \throws std::runtime_error
Job jobOf(std::span<char *const> arguments);

} // namespace copse::popc
