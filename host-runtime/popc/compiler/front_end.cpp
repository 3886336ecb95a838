#include "front_end.hpp"

#include "clang_invocation.hpp"
#include "entry_points.hpp"
#include "half_choices.hpp"
#include "vertex_finder.hpp"

#include "popc/arch.hpp"
#include "popc/native_compiler.hpp"

#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <stdexcept>

namespace copse::popc {
namespace {

constexpr const char *kFile = "<entry points of the codelets>";
constexpr llvm::StringRef kPragma = "copse_entries";

/// Ends a source: the pragma is read while the parser takes the semicolon, so all declarations
/// before it are complete.
std::string withPragma(const std::string &source) {
  return source + "\n# 1 \"" + kFile + "\" 3\nstruct CopseEntries;\n#pragma " + kPragma.str() +
         "\n";
}

/// Parses the entry points of the vertex classes that stand before the pragma.
class EntriesPragma : public clang::PragmaHandler {
public:
  EntriesPragma(clang::CompilerInstance &compiler, const SourceToParse &source, ParsedCode &parsed)
      : PragmaHandler(kPragma), compiler_(compiler), source_(source), parsed_(parsed) {}

  void HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer introducer,
                    clang::Token &token) override {
    while (token.isNot(clang::tok::eod))
      preprocessor.Lex(token);
    if (compiler_.getDiagnostics().hasErrorOccurred() || !parsed_.entries.empty())
      return;
    *parsed_.found = findCode(compiler_.getSema(), source_.path, source_.arch);
    parsed_.entries = entryPoints(parsed_.found->vertices) +
                      runtimeSymbols(*source_.moduleInfo, false) +
                      functionEntries(parsed_.found->functions);
    const clang::FileID file = compiler_.getSourceManager().createFileID(
        llvm::MemoryBuffer::getMemBufferCopy(parsed_.entries, kFile), clang::SrcMgr::C_System);
    preprocessor.EnterSourceFile(file, nullptr, introducer.Loc);
  }

private:
  clang::CompilerInstance &compiler_;
  const SourceToParse &source_;
  ParsedCode &parsed_;
};

class CodeletAction : public clang::EmitLLVMOnlyAction {
public:
  CodeletAction(llvm::LLVMContext &context, const SourceToParse &source, ParsedCode &parsed)
      : EmitLLVMOnlyAction(&context), source_(source), parsed_(parsed) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override {
    if (source_.moduleInfo) // the preprocessor owns the handler
      compiler.getPreprocessor().AddPragmaHandler(new EntriesPragma(compiler, source_, parsed_));
    return EmitLLVMOnlyAction::CreateASTConsumer(compiler, file);
  }

private:
  const SourceToParse &source_;
  ParsedCode &parsed_;
};

/// One parse of the source.
class Attempt {
public:
  Attempt(const SourceToParse &source, llvm::LLVMContext &context)
      : source_(source), context_(context) {}

  bool run(bool showAllErrors) {
    parsed.found = std::make_unique<FoundCode>();
    const auto driverMessages = diagnosticsWith(source_.arguments);
    const std::shared_ptr<clang::CompilerInvocation> invocation =
        invocationOf(source_.arguments, *driverMessages);
    setProcessOptions(*invocation);
    std::string text = source_.text;
    if (source_.moduleInfo && isInC(source_.path)) {
      parsed.entries = runtimeSymbols(*source_.moduleInfo, true); // C has no classes
      text += parsed.entries;
    } else if (source_.moduleInfo) {
      text = withPragma(text);
    }
    auto &inputs = invocation->getFrontendOpts().Inputs;
    const clang::InputKind kind = inputs.front().getKind();
    inputs = {clang::FrontendInputFile(llvm::MemoryBufferRef(text, "-"), kind)};
    if (showAllErrors)
      invocation->getDiagnosticOpts().ErrorLimit = 0;

    clang::CompilerInstance compiler;
    compiler.setInvocation(invocation);
    llvm::raw_string_ostream stream(messages);
    clang::TextDiagnosticPrinter printer(stream, &invocation->getDiagnosticOpts());
    choices = std::make_unique<HalfChoices>(printer);
    compiler.createDiagnostics(choices.get(), false);
    compiler.setVerboseOutputStream(stream);
    compiler.LoadRequestedPlugins();
    CodeletAction action(context_, source_, parsed);
    const bool isGood = compiler.ExecuteAction(action);
    parsed.module = action.takeModule();
    return isGood && parsed.module != nullptr;
  }

  ParsedCode parsed;
  std::string messages;
  std::unique_ptr<HalfChoices> choices;

private:
  const SourceToParse &source_;
  llvm::LLVMContext &context_;
};

} // namespace

ParsedCode::ParsedCode() = default;
ParsedCode::ParsedCode(ParsedCode &&) noexcept = default;
ParsedCode::~ParsedCode() = default;

ParsedCode parsed(SourceToParse &source, llvm::LLVMContext &context) {
  constexpr unsigned kMostRounds = 10; // depth of nested choices
  const bool mayChange = source.arch == Architecture::Cpu && source.moduleInfo.has_value();
  for (unsigned round = 0;; ++round) {
    Attempt attempt(source, context);
    const bool isGood = attempt.run(round > 0);
    if (!isGood && mayChange && round < kMostRounds && !attempt.choices->isEmpty()) {
      source.text = attempt.choices->convertedIn(std::move(source.text));
      continue;
    }
    if (!isGood)
      throw std::runtime_error(attempt.messages);
    llvm::errs() << attempt.messages; // warnings
    return std::move(attempt.parsed);
  }
}

} // namespace copse::popc
