#pragma once

#include "codelets/include_folders.hpp"
#include "codelets/vertex_type.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace copse::codelets {

/// One codelet source, and how to compile it.
struct TranslationUnit {
  std::string source;
  std::string path; ///< absolute; for messages, and includes are relative to its folder
  std::vector<std::string> flags; ///< the user's
  std::string directory;          ///< where the compiler runs, absolute
  Arch arch = Arch::Cpu;
  bool nativeIpu = false;   ///< define __IPU__ for native code, too
  bool builtinHalf = false; ///< half is a built-in type: poplar/BuiltinHalf.hpp
};

/// The system's C++ compiler.
class NativeCompiler {
public:
  /// Takes $COPSE_CXX if that is set; else the first that runs of $CXX, g++, c++, clang++.
  /// \throws CompileError if there is none
  NativeCompiler();

  /// The source with all includes and macros expanded. \throws CompileError
  std::string preprocess(const TranslationUnit &unit) const;
  /// The same for assembly: with __IPU__ and __ASSEMBLER__ defined. \throws CompileError
  std::string preprocessAssembly(const TranslationUnit &unit) const;
  /// \param expanded  preprocessed source, and entry points
  /// \returns a shared object.  \throws CompileError
  std::vector<std::byte> compile(const std::string &expanded, const TranslationUnit &unit) const;
  /// Where preprocess() looks for what is included; nothing if the compiler does not say.
  std::optional<IncludeFolders> includeFolders(const TranslationUnit &unit) const;
  /// What libclang is to be told so that it sees what the compiler sees.
  std::vector<std::string> parserArguments(const TranslationUnit &unit) const;

  /// Which compiler this is, to the last digit; part of the cache's key.
  const std::string &version() const { return version_; }
  /// What its name comes with: COPSE_CXX="g++ -m64".
  std::vector<std::string> ownFlags() const;
  /// More than the version: what else decides how it expands a source, but for the headers.
  std::string identity() const;
  /// "x86-64-v3", ... or "" on another machine.
  const std::string &cpuLevel() const { return cpuLevel_; }

private:
  std::vector<std::string> preprocessing(const TranslationUnit &unit) const;

  std::vector<std::string> command_;
  std::string version_, cpuLevel_, include_;
};

} // namespace copse::codelets
