#include "expansion.hpp"

#include "clang_invocation.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <memory>
#include <stdexcept>

namespace copse::popc {
namespace {

constexpr const char *kStandardInput = "<stdin>"; // so clang calls it in its messages

/// Notes whether the preprocessor looks at __IPU__.
class TestsOfIpu : public clang::PPCallbacks {
public:
  TestsOfIpu(const clang::SourceManager &sources, const std::string &headerOfBuiltins, bool &found)
      : sources_(sources), headerOfBuiltins_(headerOfBuiltins), found_(found) {}

  void MacroExpands(const clang::Token &name, const clang::MacroDefinition & /*definition*/,
                    clang::SourceRange /*range*/, const clang::MacroArgs * /*arguments*/) override {
    note(name);
  }
  void MacroDefined(const clang::Token &name, const clang::MacroDirective * /*macro*/) override {
    if (sources_.getFilename(name.getLocation()) != "")
      note(name); // not on the command line
  }
  void MacroUndefined(const clang::Token &name, const clang::MacroDefinition & /*definition*/,
                      const clang::MacroDirective * /*macro*/) override {
    note(name);
  }
  void Defined(const clang::Token &name, const clang::MacroDefinition & /*definition*/,
               clang::SourceRange /*range*/) override {
    note(name);
  }
  void Ifdef(clang::SourceLocation /*place*/, const clang::Token &name,
             const clang::MacroDefinition & /*definition*/) override {
    note(name);
  }
  void Ifndef(clang::SourceLocation /*place*/, const clang::Token &name,
              const clang::MacroDefinition & /*definition*/) override {
    note(name);
  }
  using PPCallbacks::Elifdef; // for branches that are not looked at
  void Elifdef(clang::SourceLocation /*place*/, const clang::Token &name,
               const clang::MacroDefinition & /*definition*/) override {
    note(name);
  }
  using PPCallbacks::Elifndef;
  void Elifndef(clang::SourceLocation /*place*/, const clang::Token &name,
                const clang::MacroDefinition & /*definition*/) override {
    note(name);
  }

private:
  void note(const clang::Token &name) {
    const clang::IdentifierInfo *const identifier = name.getIdentifierInfo();
    if (identifier != nullptr && identifier->getName() == "__IPU__" &&
        sources_.getFilename(sources_.getExpansionLoc(name.getLocation())) != headerOfBuiltins_)
      found_ = true;
  }

  const clang::SourceManager &sources_;
  const std::string &headerOfBuiltins_;
  bool &found_;
};

class ExpandingAction : public clang::PreprocessorFrontendAction {
public:
  explicit ExpandingAction(const std::string &headerOfBuiltins)
      : headerOfBuiltins_(headerOfBuiltins) {}
  Expansion expansion;

protected:
  void ExecuteAction() override {
    clang::CompilerInstance &compiler = getCompilerInstance();
    clang::Preprocessor &preprocessor = compiler.getPreprocessor();
    preprocessor.addPPCallbacks(std::make_unique<TestsOfIpu>(
        compiler.getSourceManager(), headerOfBuiltins_, expansion.testsIpu));
    llvm::raw_string_ostream out(expansion.text);
    clang::DoPrintPreprocessedInput(preprocessor, &out, compiler.getPreprocessorOutputOpts());
  }

private:
  const std::string &headerOfBuiltins_;
};

} // namespace

Expansion expanded(const std::string &source, const std::vector<std::string> &arguments,
                   const std::string &headerOfBuiltins) {
  const auto driverMessages = diagnosticsWith(arguments);
  const std::shared_ptr<clang::CompilerInvocation> invocation =
      invocationOf(arguments, *driverMessages);
  auto &inputs = invocation->getFrontendOpts().Inputs;
  const clang::InputKind kind = inputs.front().getKind();
  inputs = {clang::FrontendInputFile(kStandardInput, kind)};
  // Clang's source manager owns the buffer.
  invocation->getPreprocessorOpts().addRemappedFile(
      kStandardInput, llvm::MemoryBuffer::getMemBuffer(source, kStandardInput).release());
  invocation->getHeaderSearchOpts().Verbose = true;
  clang::CompilerInstance compiler;
  compiler.setInvocation(invocation);
  compiler.createDiagnostics();
  ExpandingAction action(headerOfBuiltins);
  if (!compiler.ExecuteAction(action))
    throw std::runtime_error("");
  return std::move(action.expansion);
}

} // namespace copse::popc
