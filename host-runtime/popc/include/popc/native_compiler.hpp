#pragma once

#include "popc/clang_choice.hpp"
#include "popc/include_folders.hpp"
#include "popc/stand_in.hpp"
#include "popc/vertex_type.hpp"

#include <cstddef>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace copse::popc {

struct ModuleWithAssembly;

/// Among the flags of an IPU target: code that does not count its cycles, for benchmarks of what
/// counting costs. A graph with such codelets takes no time for them.
inline constexpr char kUncountedFlag[] = "-D__COPSE_UNCOUNTED__";

/// Among the flags of an IPU target: code whose accesses are checked as it runs (src/access_checks.hpp). As a flag it is
/// part of the hashes that caches know code by.
inline constexpr char kCheckedFlag[] = "-D__COPSE_CHECKED__";

/// Likewise: code for a debugger, with debug information and in the order of its source. It counts the same cycles.
inline constexpr char kDebuggedFlag[] = "-D__COPSE_DEBUGGED__";

/// One codelet source, and how to compile it.
struct TranslationUnit {
  std::string source;
  std::string path; ///< absolute; for messages, and includes are relative to its folder
  std::vector<std::string> flags; ///< the user's
  std::string directory;          ///< where the compiler runs, absolute
  Architecture arch = Architecture::Cpu;
  std::ostream *messages = &std::cerr; ///< warnings go there
};

/// Whether the file \p path is a source in C. All others that are compiled are C++.
bool isInC(const std::string &path);

/// A source with all includes and macros expanded.
struct ExpandedSource {
  std::string text;
  std::optional<IncludeFolders>
      folders; ///< searched for headers; nothing if the compiler does not say
};

/// What a source becomes, to be linked with others.
struct CompiledObject {
  std::string source;                    ///< its file, for messages
  std::vector<std::byte> code;           ///< ELF objects, packed
  std::vector<std::string> declarations; ///< of functions that it may use (tile_calls.hpp)
  TileCodeUse uses = {};
  std::vector<std::string> supervisorPlaces = {}; ///< of inline assembly for the supervisor
  std::vector<std::string> definitions = {};      ///< that other objects may use (linkage.hpp)
};

/// Objects linked.
struct LinkedObjects {
  std::vector<std::byte> elf;             ///< a shared object
  std::vector<std::string> tileFunctions; ///< that it calls, and that no object defines
};

/// The clang that makes native code of codelets.
class NativeCompiler {
public:
  /// \throws CompileError if there is none (clang_choice.hpp)
  NativeCompiler();

  /// \throws CompileError
  ExpandedSource preprocess(const TranslationUnit &unit) const;
  /// The same for assembly: with __IPU__ and __ASSEMBLER__ defined.
  /// \throws CompileError
  std::string preprocessAssembly(const TranslationUnit &unit) const;
  /// \param expanded  preprocessed source, and entry points.
  /// \throws CompileError
  CompiledObject compile(const std::string &expanded, const TranslationUnit &unit) const;
  /// The assembly of this machine for the code that compile() makes.
  /// \throws CompileError
  std::string assembly(const std::string &expanded, const TranslationUnit &unit) const;
  /// What is missing and has C's name is taken for a function of tile code, where an object's
  /// declarations have it.
  /// \param flags  the user's
  /// \throws CompileError, which names symbols that are missing or there twice
  LinkedObjects link(const std::vector<CompiledObject> &objects,
                     const std::vector<std::string> &flags) const;
  /// What libclang is to be told so that it sees what the compiler sees.
  std::vector<std::string> parserArguments(const TranslationUnit &unit) const;

  /// Which compiler this is, to the last digit; part of the cache's key.
  const std::string &version() const { return clang_.version; }
  const std::vector<std::string> &command() const { return clang_.command; }
  /// What its name comes with: COPSE_CXX="clang++-16 -m64".
  std::vector<std::string> ownFlags() const;
  /// More than the version: what else decides how it expands a source, but for the headers.
  std::string identity() const;
  /// "x86-64-v4", ... or "" on another machine.
  const std::string &cpuLevel() const { return cpuLevel_; }
  /// Arguments that select it.
  std::vector<std::string> processorFlags() const;

private:
  std::vector<std::string> deviceHeaderFlags() const;
  std::vector<std::string> preprocessing(const TranslationUnit &unit) const;
  /// Before any optimisation.
  std::string llvmText(const std::string &expanded, const TranslationUnit &unit) const;
  ModuleWithAssembly llvmTextOfTile(const std::string &expanded, const TranslationUnit &unit) const;
  /// Code that counts what it takes on the tile.
  std::string counted(const std::string &llvmText, const TranslationUnit &unit) const;
  /// The LLVM text that becomes code.
  ModuleWithAssembly module(const std::string &expanded, const TranslationUnit &unit) const;
  std::vector<std::string> codeGeneration(const std::vector<std::string> &flags,
                                          const TranslationUnit &unit) const;
  std::vector<std::byte> objectOf(const std::string &llvmText,
                                  const std::vector<std::string> &flags,
                                  const TranslationUnit &unit) const;
  /// A large module is compiled in parts.
  std::vector<std::byte> codeOf(const std::string &llvmText, const TranslationUnit &unit) const;

  ClangChoice clang_;
  std::string cpuLevel_, include_;
};

} // namespace copse::popc
