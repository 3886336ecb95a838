#pragma once

#include <filesystem>
#include <llvm/IR/Module.h>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
}

namespace copse::popc {

/// Clang's optimiser and code generator for modules, as a command line of clang sets them up.
/// A module's messages go to the standard error.
class ClangBackend {
public:
  /// \param arguments  for clang, without its name: flags, and "-S -emit-llvm" or "-c"
  /// \throws std::runtime_error  if clang refuses them
  explicit ClangBackend(const std::vector<std::string> &arguments);
  ~ClangBackend();
  ClangBackend(const ClangBackend &) = delete;
  ClangBackend &operator=(const ClangBackend &) = delete;

  /// Sets the options that follow -mllvm, which hold for the whole process from then on.
  void setProcessOptions() const;

  /// Runs the passes of the optimisation level and generates no code.
  void optimise(llvm::Module &module) const;
  /// Also writes an object, or assembly.
  void writeObject(llvm::Module &module, const std::filesystem::path &file) const;
  void writeAssembly(llvm::Module &module, const std::filesystem::path &file) const;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Makes messages of passes and of the code generator go to the standard error, except remarks and
/// loops that could not be optimised as asked.
/// \param failed  is set when one is an error; must outlive the context
void reportMessages(llvm::LLVMContext &context, bool &failed);

} // namespace copse::popc
