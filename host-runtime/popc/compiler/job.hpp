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
///     codelet-compiler KEY=VALUE... -- PREPROCESSOR... -- FRONT END... -- SIMPLIFIER...
///       -- GENERATOR...
struct Job {
  std::string source;           ///< its file, for messages
  std::filesystem::path folder; ///< for the results
  Architecture arch = Architecture::Cpu;
  std::optional<TileArithmetic> arithmetic; ///< nothing: halves are no type of the target
  /// Text for the module's description; nothing: the source has its entry points already.
  std::optional<std::string> moduleInfo;
  bool isCounted = true;
  std::string headerOfBuiltins;  ///< tests __IPU__ for builtins, which make no other code
  std::string checksWithHeaders; ///< folder of the device headers; empty: accesses go unchecked
  bool isDebugged = false;
  bool writesAssembly = false;
  /// Arguments of clang for expanding the source (empty: it is expanded already), for parsing it
  /// (empty: it is LLVM's text, which declares functions of tile code), for simplifying a module
  /// whose cycles are to be counted, and for generating code.
  std::vector<std::string> preprocessor, frontEnd, simplifier, generator;
};

/// \throws std::runtime_error
Job jobOf(std::span<char *const> arguments);

} // namespace copse::popc
