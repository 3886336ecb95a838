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

/// The flag of an IPU target for code that does not count its cycles, for benchmarks of the cost of
/// counting. Such codelets take no time in a graph.
inline constexpr char kUncountedFlag[] = "-D__COPSE_UNCOUNTED__";

/// The flag of an IPU target for code whose accesses are checked at run time
/// (src/access_checks.hpp). As a flag it is part of the cache's keys.
inline constexpr char kCheckedFlag[] = "-D__COPSE_CHECKED__";

/// The flag of an IPU target for code that is to be debugged: with debug information, and in the
/// order of its source. The code counts as many cycles as without the flag.
inline constexpr char kDebuggedFlag[] = "-D__COPSE_DEBUGGED__";

/// One codelet source, and how it is compiled.
struct TranslationUnit {
  std::string source;
  std::string path; ///< absolute; named in messages; includes are relative to its folder
  std::vector<std::string> flags; ///< the user's
  std::string directory;          ///< working directory of the compiler, absolute
  Architecture arch = Architecture::Cpu;
  std::ostream *messages = &std::cerr; ///< where warnings go
};

/// Returns true if the file \p path is a source in C. All other sources that are compiled are C++.
bool isInC(const std::string &path);

/// A source with all includes and macros expanded.
struct ExpandedSource {
  std::string text;
  std::optional<IncludeFolders>
      folders; ///< where headers were searched; nothing if the compiler does not say so
};

/// The result of compiling one source, before it is linked with others.
struct CompiledObject {
  std::string source;          ///< its file, for messages
  std::vector<std::byte> code; ///< ELF objects, packed
  /// Declarations of functions that the linked code may need (tile_calls.hpp).
  std::vector<std::string> declarations;
  TileCodeUse uses = {};
  /// The source lines of inline assembly for supervisors.
  std::vector<std::string> supervisorPlaces = {};
  std::vector<std::string> definitions = {}; ///< symbols that other objects may use
};

/// The result of linking objects.
struct LinkedObjects {
  std::vector<std::byte> elf;             ///< a shared object
  std::vector<std::string> tileFunctions; ///< tile functions that it calls and no object defines
};

/// Codelets are written for the tile's compiler, but run on this machine. This class calls the
/// clang that makes native code of them: code that computes as the tile does, and that counts the
/// cycles that the tile would take.
class NativeCompiler {
public:
  /// \throws CompileError  if no suitable clang is found (clang_choice.hpp)
  NativeCompiler();

  /// \throws CompileError
  ExpandedSource preprocess(const TranslationUnit &unit) const;
  /// Runs the preprocessor on assembly, with __IPU__ and __ASSEMBLER__ defined.
  /// \throws CompileError
  std::string preprocessAssembly(const TranslationUnit &unit) const;
  /// Compiles a preprocessed source to which its entry points have been added.
  /// \throws CompileError
  CompiledObject compile(const std::string &expanded, const TranslationUnit &unit) const;
  /// Returns the native assembly of the code that compile() makes.
  /// \throws CompileError
  std::string assembly(const std::string &expanded, const TranslationUnit &unit) const;
  /// Links objects into one shared object. A missing symbol with a name of C counts as a function
  /// of tile code if an object has a declaration of it.
  /// \param flags  the user's
  /// \throws CompileError  which names symbols that are missing or defined twice
  LinkedObjects link(const std::vector<CompiledObject> &objects,
                     const std::vector<std::string> &flags) const;
  /// Returns the arguments with which libclang sees the source as the compiler sees it.
  std::vector<std::string> parserArguments(const TranslationUnit &unit) const;

  /// Returns the exact version of the compiler; it is part of the cache's key.
  const std::string &version() const { return clang_.version; }
  const std::vector<std::string> &command() const { return clang_.command; }
  /// Returns the flags that belong to the command, such as those in COPSE_CXX="clang++-16 -m64".
  std::vector<std::string> ownFlags() const;
  /// Returns the version and everything else, except the headers, that decides how the compiler
  /// expands a source.
  std::string identity() const;
  /// Returns the level of the processor, "x86-64-v4" or lower, or "" on another architecture.
  const std::string &cpuLevel() const { return cpuLevel_; }
  /// Returns the compiler's arguments for cpuLevel().
  std::vector<std::string> processorFlags() const;

private:
  std::vector<std::string> deviceHeaderFlags() const;
  std::vector<std::string> preprocessing(const TranslationUnit &unit) const;
  /// Returns the LLVM text before any optimisation.
  std::string llvmText(const std::string &expanded, const TranslationUnit &unit) const;
  ModuleWithAssembly llvmTextOfTile(const std::string &expanded, const TranslationUnit &unit) const;
  /// Returns the LLVM text that becomes code.
  ModuleWithAssembly module(const std::string &expanded, const TranslationUnit &unit) const;
  /// Return the arguments of the program codelet-compiler.
  std::vector<std::string> settings(const TranslationUnit &unit) const;
  std::vector<std::string> simplifier(const TranslationUnit &unit) const;
  std::vector<std::string> generator(const std::vector<std::string> &flags,
                                     const TranslationUnit &unit) const;

  ClangChoice clang_;
  std::string cpuLevel_, include_;
};

} // namespace copse::popc
