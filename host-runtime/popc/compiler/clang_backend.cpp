#include "clang_backend.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/BackendUtil.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Job.h>
#include <clang/Driver/Tool.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Host.h>
#include <llvm/Support/raw_ostream.h>
#include <stdexcept>
#include <system_error>

namespace copse::popc {
namespace {

using Diagnostics = llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine>;

/// Returns diagnostics that go to the standard error, with the `-W` flags among \p arguments.
Diagnostics diagnosticsWith(const std::vector<std::string> &arguments) {
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
  for (const std::string &argument : arguments)
    if (llvm::StringRef(argument).startswith("-W"))
      options->Warnings.push_back(argument.substr(2));
  Diagnostics diagnostics = clang::CompilerInstance::createDiagnostics(options.get());
  clang::ProcessWarningOptions(*diagnostics, *options, false);
  return diagnostics;
}

/// Returns the arguments of the compiler proper that clang's driver would start.
std::vector<std::string> ofCompilerProper(const std::vector<std::string> &arguments,
                                          clang::DiagnosticsEngine &diagnostics) {
  std::vector<const char *> words{COPSE_CLANG};
  for (const std::string &argument : arguments)
    words.push_back(argument.c_str());
  clang::driver::Driver driver(COPSE_CLANG, llvm::sys::getDefaultTargetTriple(), diagnostics);
  driver.setCheckInputsExist(false);
  const std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(words));
  if (compilation == nullptr || compilation->getJobs().empty() || diagnostics.hasErrorOccurred())
    throw std::runtime_error("error: clang refuses its arguments\n");
  const auto &proper = compilation->getJobs().begin()->getArguments();
  return {proper.begin(), proper.end()};
}

std::unique_ptr<clang::CompilerInvocation> invocationOf(const std::vector<std::string> &arguments,
                                                        clang::DiagnosticsEngine &diagnostics) {
  const std::vector<std::string> words = ofCompilerProper(arguments, diagnostics);
  std::vector<const char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
  auto invocation = std::make_unique<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, diagnostics, COPSE_CLANG))
    throw std::runtime_error("error: clang refuses the arguments of its own driver\n");
  return invocation;
}

class Messages : public llvm::DiagnosticHandler {
public:
  explicit Messages(bool &failed) : failed_(failed) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    const bool isAboutLoop = llvm::isa<llvm::DiagnosticInfoOptimizationFailure>(info);
    const auto severity = info.getSeverity();
    if (isAboutLoop || severity == llvm::DS_Remark || severity == llvm::DS_Note)
      return true;
    failed_ |= severity == llvm::DS_Error;
    llvm::DiagnosticPrinterRawOStream printer(llvm::errs());
    if (!llvm::isa<llvm::DiagnosticInfoSrcMgr>(info)) // its text says what it is
      llvm::errs() << llvm::LLVMContext::getDiagnosticMessagePrefix(severity) << ": ";
    info.print(printer);
    llvm::errs() << '\n';
    return true;
  }

private:
  bool &failed_;
};

} // namespace

struct ClangBackend::Parts {
  Diagnostics diagnostics;
  std::unique_ptr<clang::CompilerInvocation> invocation;
  llvm::IntrusiveRefCntPtr<clang::TargetInfo> target;

  explicit Parts(const std::vector<std::string> &arguments)
      : diagnostics(diagnosticsWith(arguments)), invocation(invocationOf(arguments, *diagnostics)),
        target(clang::TargetInfo::CreateTargetInfo(*diagnostics, invocation->TargetOpts)) {
    if (target == nullptr)
      throw std::runtime_error("error: clang does not know this machine\n");
  }

  void run(llvm::Module &module, clang::BackendAction action,
           std::unique_ptr<llvm::raw_pwrite_stream> output) const {
    module.setTargetTriple(invocation->getTargetOpts().Triple); // popc's own modules have none
    clang::EmitBackendOutput(*diagnostics, invocation->getHeaderSearchOpts(),
                             invocation->getCodeGenOpts(), invocation->getTargetOpts(),
                             *invocation->getLangOpts(), target->getDataLayoutString(), &module,
                             action, std::move(output));
    if (diagnostics->hasErrorOccurred())
      throw std::runtime_error("error: clang cannot generate code\n");
  }

  void write(llvm::Module &module, clang::BackendAction action,
             const std::filesystem::path &file) const {
    std::error_code error;
    auto output = std::make_unique<llvm::raw_fd_ostream>(file.string(), error);
    if (error)
      throw std::runtime_error("error: " + file.string() + ": " + error.message() + "\n");
    run(module, action, std::move(output));
  }
};

ClangBackend::ClangBackend(const std::vector<std::string> &arguments)
    : parts_(std::make_unique<Parts>(arguments)) {}

ClangBackend::~ClangBackend() = default;

void ClangBackend::setProcessOptions() const {
  std::vector<const char *> words{"clang (LLVM option parsing)"};
  for (const std::string &argument : parts_->invocation->getFrontendOpts().LLVMArgs)
    words.push_back(argument.c_str());
  llvm::cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data());
}

void ClangBackend::optimise(llvm::Module &module) const {
  parts_->run(module, clang::Backend_EmitNothing, nullptr);
}

void ClangBackend::writeObject(llvm::Module &module, const std::filesystem::path &file) const {
  parts_->write(module, clang::Backend_EmitObj, file);
}

void ClangBackend::writeAssembly(llvm::Module &module, const std::filesystem::path &file) const {
  parts_->write(module, clang::Backend_EmitAssembly, file);
}

void reportMessages(llvm::LLVMContext &context, bool &failed) {
  context.setDiagnosticHandler(std::make_unique<Messages>(failed));
}

} // namespace copse::popc
