#pragma once

#include "codelets/vertex_type.hpp"

#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

namespace copse::codelets {

/// Codelets did not compile; what() holds the compiler's messages, with the user's file and lines.
struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A file is missing, unreadable or not what it says it is.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CompileOptions {
  std::vector<std::string> flags; ///< as popc takes them: -O3 -DX=1 -I dir ...
  std::vector<Arch> targets;      ///< one module per target comes out
  bool nativeIpu = false;         ///< define __IPU__ for native code of IPU targets
  /// A target that the codelets do not compile for is left out, and stderr says so, if they compile
  /// for another.
  bool whereverItCompiles = false;
  std::string directory; ///< relative paths are relative to this; empty: the current one
};

/// Compiles C++ codelet source text, or assembles it if \p fileName ends in .S (which the C
/// preprocessor reads first) or .s. The name is also for messages and for relative includes.
/// Results of compilers are cached by content under $COPSE_CACHE_DIR, else $XDG_CACHE_HOME/copse,
/// else ~/.cache/copse. \throws CompileError
std::vector<Module> compileSource(const std::string &source, const std::string &fileName,
                                  const CompileOptions &options);

/// Compiles a `.cpp`/`.c` file, assembles a `.S`/`.s` file, or reads a `.gp` file, by its
/// extension. \throws CompileError, FileError
std::vector<Module> compileFile(const std::string &path, const CompileOptions &options);

/// The `.gp` format: what popc writes and addCodelets reads.
void writeGp(std::ostream &out, const std::vector<Module> &modules);
/// \throws FileError; any bytes are safe
std::vector<Module> readGp(std::istream &in, const std::string &nameForMessages);

/// Splits a command-line-like string of flags ("-O3 -DA='x y'") as a shell would.
std::vector<std::string> splitFlags(const std::string &flags);

} // namespace copse::codelets
