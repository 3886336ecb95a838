#pragma once

#include "popc/vertex_type.hpp"

#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace copse::popc {

/// Reports that codelets did not compile. what() has the compiler's messages, with the user's files
/// and lines.
struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Reports a file that is missing, unreadable or of another format than its name says.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The flag of a CPU target whose halves have 16 bits.
inline constexpr char kAccurateHalfFlag[] = "-D__COPSE_ACCURATE_HALF__";

/// The flag of an IPU target with which the sources' branches for other processors are compiled.
inline constexpr char kPortableFlag[] = "-U__IPU__";

struct CompileOptions {
  std::vector<std::string> flags;    ///< in the form in which popc takes them: -O3 -DX=1 -I dir ...
  std::vector<Architecture> targets; ///< one module is made for each
  /// Targets that the codelets do not compile for are left out, with a message on stderr, if they
  /// compile for another target. If IPUs are among the targets, this other target must be an IPU.
  bool whereverItCompiles = false;
  /// Symbols that other .gp files define may be missing; stderr names them.
  bool mayLackSymbols = false;
  /// For IPU targets, code for an IPUModel (ipuModelVariant()) is compiled too, if it differs.
  bool withIpuModelCode = false;
  std::string directory; ///< the base of relative paths; empty: the current directory
};

/// The text of a file with codelets.
struct Source {
  std::string text;
  std::string fileName; ///< for messages and relative includes; its ending gives the language
};

/// Reads the files \p paths.
/// \param directory  the base of relative paths; empty: the current directory
/// \throws FileError
std::vector<Source> sourcesIn(const std::vector<std::string> &paths, const std::string &directory);

/// Compiles C or C++ codelet source text. It assembles the text if \p fileName ends in .S (which is
/// preprocessed first) or .s. Messages and relative includes use the name, too.
///
/// Results of compilers are cached by content under $COPSE_CACHE_DIR, else $XDG_CACHE_HOME/copse,
/// else ~/.cache/copse.
/// \throws CompileError
std::vector<Module> compileSource(const std::string &source, const std::string &fileName,
                                  const CompileOptions &options);

/// Compiles several sources. All sources in C++ become one module for each target, so that they may
/// use each other's functions; each source in assembly becomes a module of its own.
/// \throws CompileError  also for a symbol that is missing or defined twice
std::vector<Module> compileSources(const std::vector<Source> &sources,
                                   const CompileOptions &options);

/// Compiles or reads each file by its extension: compiles `.cpp` and `.c` files as compileSources()
/// does, assembles `.S` and `.s` files, and adds the modules of `.gp` files.
/// \throws CompileError, FileError
std::vector<Module> compileFiles(const std::vector<std::string> &paths,
                                 const CompileOptions &options);

/// Compiles, assembles or reads one file by its extension, as compileFiles() does.
/// \throws CompileError, FileError
std::vector<Module> compileFile(const std::string &path, const CompileOptions &options);

/// The `.gp` format: what popc writes and addCodelets reads.
void writeGp(std::ostream &out, const std::vector<Module> &modules);
/// Reads the modules of a .gp file. Any input is safe to read.
/// \param only  skips the modules of other architectures, without reading their tables
/// \throws FileError
std::vector<Module> readGp(std::istream &in, const std::string &nameForMessages,
                           std::optional<Architecture> only = std::nullopt);

/// Checks that no module lacks symbols (Module::missing).
/// \throws CompileError  which names the missing symbols
void checkComplete(const std::vector<Module> &modules);

/// Splits a string of flags ("-O3 -DA='x y'") as a shell would.
std::vector<std::string> splitFlags(const std::string &flags);

} // namespace copse::popc
