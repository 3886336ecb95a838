#pragma once

#include "popc/clang_choice.hpp"
#include "popc/include_folders.hpp"
#include "popc/vertex_type.hpp"

#include <cstddef>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace copse::popc {

/// The flag of an IPU target for code that does not count its cycles, for benchmarks of the cost of
/// counting. Such codelets take no time in a graph.
inline constexpr char kUncountedFlag[] = "-D__COPSE_UNCOUNTED__";

/// The flag of an IPU target for code whose accesses are checked at run time
/// (compiler/access_checks.hpp). As a flag it is part of the cache's keys.
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
inline bool isInC(const std::string &path) { return path.ends_with(".c"); }

/// A source with all includes and macros expanded.
struct ExpandedSource {
  std::string text;
  /// Where headers were searched; nothing if the compiler does not say so.
  std::optional<IncludeFolders> folders;
  /// The text depends on __IPU__, not counting the device headers' own use of it.
  bool testsIpu = false;
};

/// The result of compiling one source, before it is linked with others.
struct CompiledSource {
  Module module;    ///< `elf` is ELF objects, packed
  std::string text; ///< the source with its entry points, which can be compiled again
};

/// A compiled source as the linker needs it.
struct CompiledObject {
  std::string source;          ///< its file, for messages
  std::vector<std::byte> code; ///< ELF objects, packed
  /// Declarations of functions that the linked code may need (compiler/tile_functions.hpp).
  std::vector<std::string> declarations;
};

/// The result of linking objects.
struct LinkedObjects {
  std::vector<std::byte> elf;             ///< a shared object
  std::vector<std::string> tileFunctions; ///< tile functions that it calls and no object defines
};

/// The arguments of one run of codelet-compiler (compiler/job.hpp).
struct CompilerJob {
  std::vector<std::string> settings, preprocessor, frontEnd, simplifier, generator;
};

class CodeletCompiler;

/// Codelets are written for the tile's compiler, but run on this machine. This class calls the
/// clang that makes native code of them: code that computes as the tile does, and that counts the
/// cycles that the tile would take.
class NativeCompiler {
public:
  /// \throws CompileError  if no suitable clang is found (clang_choice.hpp)
  NativeCompiler();

  /// Expands a source. The result can compile it.
  /// \param unit  must outlive the result
  /// \throws CompileError
  std::unique_ptr<CodeletCompiler> begin(const TranslationUnit &unit) const;
  /// Returns the expanded source.
  /// \throws CompileError
  std::string expanded(const TranslationUnit &unit) const;
  /// Runs the preprocessor on assembly, with __IPU__ and __ASSEMBLER__ defined.
  /// \throws CompileError
  std::string preprocessAssembly(const TranslationUnit &unit) const;
  /// Compiles a CompiledSource::text with other flags.
  /// \throws CompileError
  CompiledObject compileAgain(const std::string &text, const TranslationUnit &unit) const;
  /// Returns the native assembly of a source.
  /// \throws CompileError
  std::string assembly(const TranslationUnit &unit) const;
  /// Links objects into one shared object. A missing symbol with a name of C counts as a function
  /// of tile code if an object has a declaration of it.
  /// \param flags  the user's
  /// \throws CompileError  which names symbols that are missing or defined twice
  LinkedObjects link(const std::vector<CompiledObject> &objects,
                     const std::vector<std::string> &flags) const;

  /// Returns the flags with which a compiler finds the device headers, and the target's macros.
  std::vector<std::string> deviceFlags(const TranslationUnit &unit) const;
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
  /// Return the arguments of the program codelet-compiler.
  std::vector<std::string> settings(const TranslationUnit &unit) const;
  std::vector<std::string> frontEnd(const TranslationUnit &unit) const;
  std::vector<std::string> simplifier(const TranslationUnit &unit) const;
  CompilerJob job(const TranslationUnit &unit) const;
  CompilerJob jobFromSource(const TranslationUnit &unit) const;
  std::vector<std::string> generator(const std::vector<std::string> &flags,
                                     const TranslationUnit &unit) const;

  ClangChoice clang_;
  std::string cpuLevel_, include_;
};

} // namespace copse::popc
