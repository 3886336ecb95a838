#pragma once

#include "popc/child_process.hpp"
#include "popc/native_compiler.hpp"

#include <string>
#include <vector>

namespace copse::popc {

/// The program codelet-compiler, which turns LLVM's text of a module into native objects
/// (compiler/main.cpp). It is a process of its own, because it loads LLVM, and because a fault or
/// an endless loop of a compiler must not end a program of the user.
class CodeletCompiler {
public:
  CodeletCompiler();

  /// The arguments of one run (compiler/job.hpp).
  struct Job {
    std::vector<std::string> settings, simplifier, generator;
  };
  /// Returns an object without TileCodeUse.
  /// \throws CompileError
  CompiledObject objectOf(const std::string &llvmText, Job job, const TranslationUnit &unit) const;
  /// \throws CompileError
  std::string assemblyOf(const std::string &llvmText, Job job, const TranslationUnit &unit) const;

private:
  std::string output(const std::string &llvmText, const Job &job,
                     const TranslationUnit &unit) const;

  std::string program_;
};

/// Passes on a compiler's warnings, or throws its errors.
/// \throws CompileError
void checkSuccess(const ChildResult &result, const std::string &program,
                  const TranslationUnit &unit);

} // namespace copse::popc
