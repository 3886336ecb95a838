#include "clang_backend.hpp"

#include "clang_invocation.hpp"

#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/BackendUtil.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>
#include <stdexcept>
#include <system_error>

namespace copse::popc {
namespace {

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

void ClangBackend::setProcessOptions() const { popc::setProcessOptions(*parts_->invocation); }

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
