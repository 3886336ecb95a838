#pragma once

#include "popc/vertex_type.hpp"

#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace copse::popc {

/// Codelets did not compile; what() holds the compiler's messages, with the user's file and lines.
struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A file is missing, unreadable or not what it says it is.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Among the flags of a CPU target: its halves have 16 bits.
inline constexpr char kAccurateHalfFlag[] = "-D__COPSE_ACCURATE_HALF__";

/// Among the flags of an IPU target: the branches that sources have for other processors are compiled.
inline constexpr char kPortableFlag[] = "-U__IPU__";

struct CompileOptions {
  std::vector<std::string> flags;    ///< as popc takes them: -O3 -DX=1 -I dir ...
  std::vector<Architecture> targets; ///< a module per target comes out
  /// A target that the codelets do not compile for is left out, and stderr says so, if they compile
  /// for another; for another IPU, if there are IPUs among the targets.
  bool whereverItCompiles = false;
  /// Symbols of other .gp files may be missing, as long as stderr says which.
  bool mayLackSymbols = false;
  /// For IPU targets also what an IPUModel runs (ipuModelVariant()), if that is other code.
  bool withIpuModelCode = false;
  std::string directory; ///< relative paths are relative to this; empty: the current one
};

/// The text of a file with codelets.
struct Source {
  std::string text;
  std::string fileName; ///< for messages and relative includes; its ending says what it is
};

/// Reads the files \p paths, which are relative to \p directory (empty: the current one).
/// \throws FileError
std::vector<Source> sourcesIn(const std::vector<std::string> &paths, const std::string &directory);

/// Compiles C or C++ codelet source text, or assembles it if \p fileName ends in .S (which the C
/// preprocessor reads first) or .s. The name is also for messages and for relative includes.
/// Results of compilers are cached by content under $COPSE_CACHE_DIR, else $XDG_CACHE_HOME/copse,
/// else ~/.cache/copse.
/// \throws CompileError
std::vector<Module> compileSource(const std::string &source, const std::string &fileName,
                                  const CompileOptions &options);

/// The same for several: all that are C++ become one module for each target, so that a function of
/// one may be used in another; each that is assembly becomes one of its own.
/// \throws CompileError, also for a symbol that is missing, or there twice
std::vector<Module> compileSources(const std::vector<Source> &sources,
                                   const CompileOptions &options);

/// Compiles `.cpp`/`.c` files as compileSources() does, assembles `.S`/`.s` files, and adds what
/// `.gp` files have, by their extensions.
/// \throws CompileError, FileError
std::vector<Module> compileFiles(const std::vector<std::string> &paths,
                                 const CompileOptions &options);

/// Compiles a `.cpp`/`.c` file, assembles a `.S`/`.s` file, or reads a `.gp` file, by its
/// extension.
/// \throws CompileError, FileError
std::vector<Module> compileFile(const std::string &path, const CompileOptions &options);

/// The `.gp` format: what popc writes and addCodelets reads.
void writeGp(std::ostream &out, const std::vector<Module> &modules);
/// \param only  leaves out the modules of other architectures, without reading their tables
/// \throws FileError; any bytes are safe
std::vector<Module> readGp(std::istream &in, const std::string &nameForMessages,
                           std::optional<Architecture> only = std::nullopt);

/// \throws CompileError if modules lack symbols (Module::missing): it says which
void checkComplete(const std::vector<Module> &modules);

/// Splits a command-line-like string of flags ("-O3 -DA='x y'") as a shell would.
std::vector<std::string> splitFlags(const std::string &flags);

} // namespace copse::popc
