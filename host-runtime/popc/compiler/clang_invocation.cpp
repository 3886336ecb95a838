#include "clang_invocation.hpp"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Job.h>
#include <clang/Driver/Tool.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/Allocator.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Error.h>
#include <llvm/TargetParser/Host.h>
#include <stdexcept>

namespace copse::popc {
namespace {

/// Returns \p words as LLVM's readers of command lines take them, behind the program's name.
std::vector<const char *> commandLine(const char *program, const std::vector<std::string> &words) {
  std::vector<const char *> pointers{program};
  pointers.reserve(words.size() + 1);
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
  return pointers;
}

/// Returns the arguments of the compiler proper that clang's driver would start.
std::vector<std::string> ofCompilerProper(const std::vector<std::string> &arguments,
                                          clang::DiagnosticsEngine &diagnostics) {
  const std::vector<const char *> given = commandLine(COPSE_CLANG, arguments);
  llvm::SmallVector<const char *, 64> words(given.begin(), given.end());
  llvm::BumpPtrAllocator strings;
  llvm::cl::ExpansionContext files(strings, llvm::cl::TokenizeGNUCommandLine);
  if (llvm::Error error = files.expandResponseFiles(words)) // @file
    throw std::runtime_error("error: " + llvm::toString(std::move(error)) + "\n");
  clang::driver::Driver driver(COPSE_CLANG, llvm::sys::getDefaultTargetTriple(), diagnostics);
  driver.setCheckInputsExist(false);
  const std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(words));
  if (compilation == nullptr || compilation->getJobs().empty() || diagnostics.hasErrorOccurred())
    throw std::runtime_error("error: clang refuses its arguments\n");
  const auto &proper = compilation->getJobs().begin()->getArguments();
  return {proper.begin(), proper.end()};
}

} // namespace

Diagnostics diagnosticsWith(const std::vector<std::string> &arguments) {
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
  for (const std::string &argument : arguments)
    if (llvm::StringRef(argument).starts_with("-W"))
      options->Warnings.push_back(argument.substr(2));
  Diagnostics diagnostics = clang::CompilerInstance::createDiagnostics(options.get());
  clang::ProcessWarningOptions(*diagnostics, *options, false);
  return diagnostics;
}

std::unique_ptr<clang::CompilerInvocation> invocationOf(const std::vector<std::string> &arguments,
                                                        clang::DiagnosticsEngine &diagnostics) {
  const std::vector<std::string> words = ofCompilerProper(arguments, diagnostics);
  const std::vector<const char *> line = commandLine(COPSE_CLANG, words);
  auto invocation = std::make_unique<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, llvm::ArrayRef(line).drop_front(),
                                                 diagnostics, COPSE_CLANG))
    throw std::runtime_error("error: clang refuses the arguments of its own driver\n");
  return invocation;
}

void setProcessOptions(const clang::CompilerInvocation &invocation) {
  if (invocation.getFrontendOpts().LLVMArgs.empty())
    return;
  const std::vector<const char *> words =
      commandLine("clang (LLVM option parsing)", invocation.getFrontendOpts().LLVMArgs);
  llvm::cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data());
}

} // namespace copse::popc
