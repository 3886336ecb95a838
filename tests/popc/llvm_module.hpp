#pragma once

#include "run_passes.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace copse::popc::test {

/// A module in LLVM's text or bitcode.
class Text {
public:
  explicit Text(const std::string &text) {
    llvm::SMDiagnostic problem;
    module_ = llvm::parseIR(llvm::MemoryBufferRef(text, "test"), problem, context_);
    if (module_ == nullptr)
      throw std::runtime_error(problem.getMessage().str());
  }
  template <class Pass> Text &with(Pass pass) {
    runPasses(*module_, std::move(pass));
    return *this;
  }
  /// Returns the text, or the reason why LLVM does not accept the module.
  std::string text() const {
    std::string text;
    llvm::raw_string_ostream out(text);
    if (!llvm::verifyModule(*module_, &out))
      out << *module_;
    return text;
  }
  const llvm::Module &module() const { return *module_; }

private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

} // namespace copse::popc::test
