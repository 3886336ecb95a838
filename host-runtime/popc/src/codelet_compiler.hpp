#pragma once

#include "disk_cache/private_directory.hpp"
#include "popc/child_process.hpp"
#include "popc/native_compiler.hpp"

#include <memory>
#include <string>

namespace copse::popc {

/// A run of the program codelet-compiler, which expands a source and turns it into native objects
/// (compiler/main.cpp). It is a process of its own, because it loads LLVM, and because a fault or
/// an endless loop of a compiler must not end a program of the user.
class CodeletCompiler {
public:
  /// Starts the program.
  /// \param source  is expanded, if the job has arguments for the preprocessor
  /// \throws CompileError
  CodeletCompiler(const CompilerJob &job, const TranslationUnit &unit,
                  const std::string &source = "");

  const ExpandedSource &expanded() const { return expanded_; }
  /// Compiles the expanded source, once. The program ends.
  /// \throws CompileError
  CompiledSource compiled() { return compiledFrom("c"); }
  /// Compiles \p text, for a job that expands nothing.
  /// \throws CompileError
  CompiledSource compiledFrom(const std::string &text);
  /// Returns native assembly; the job must ask for it.
  /// \throws CompileError
  std::string assembly();
  /// Ends the program without compiling.
  void dismiss() { program_.reset(); }

private:
  void expand(const std::string &source);
  void end(const std::string &input);

  const TranslationUnit &unit_;
  std::unique_ptr<disk_cache::PrivateDirectory> folder_; ///< for the program's results
  std::unique_ptr<ChildProcess> program_;
  ExpandedSource expanded_;
};

/// Passes on a compiler's warnings, or throws its errors.
/// \throws CompileError
void checkSuccess(const ChildResult &result, const std::string &program,
                  const TranslationUnit &unit);

} // namespace copse::popc
