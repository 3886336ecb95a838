#include "half_choices.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Type.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace copse::popc {
namespace {

bool isHalf(const clang::Diagnostic &info, unsigned argument) {
  if (info.getArgKind(argument) != clang::DiagnosticsEngine::ak_qualtype)
    return false;
  const auto type =
      // NOLINTNEXTLINE(performance-no-int-to-ptr): clang keeps types in arguments as numbers
      clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(argument)));
  const auto *const record = type->getAsCXXRecordDecl();
  return record != nullptr && record->getName() == "half";
}

bool isAboutHalf(const clang::Diagnostic &info) {
  for (unsigned i = 0; i < info.getNumArgs(); ++i)
    if (isHalf(info, i))
      return true;
  return false;
}

} // namespace

void HalfChoices::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                   const clang::Diagnostic &info) {
  clang::DiagnosticConsumer::HandleDiagnostic(level, info); // counts
  next_.HandleDiagnostic(level, info);
  const bool isAmbiguous = info.getID() == clang::diag::err_conditional_ambiguous ||
                           info.getID() == clang::diag::err_conditional_ambiguous_ovl;
  if (!isAmbiguous || info.getNumRanges() != 2 || !isAboutHalf(info))
    return;
  const clang::SourceManager &sources = info.getSourceManager();
  for (const clang::CharSourceRange &range : info.getRanges()) {
    const clang::SourceLocation begin = sources.getFileLoc(range.getBegin());
    const clang::SourceLocation last = sources.getFileLoc(range.getEnd());
    const unsigned length =
        range.isTokenRange() ? clang::Lexer::MeasureTokenLength(last, sources, clang::LangOptions())
                             : 0;
    if (sources.getFileID(begin) == sources.getMainFileID())
      operands_.emplace(sources.getFileOffset(begin), sources.getFileOffset(last) + length);
  }
}

std::string HalfChoices::convertedIn(std::string source) const {
  // From the back, so that earlier places stay valid. Operands do not overlap.
  for (auto operand = operands_.rbegin(); operand != operands_.rend(); ++operand) {
    source.insert(operand->second, ")");
    source.insert(operand->first, "::poplar::encoding::plainNumber(");
  }
  return source;
}

} // namespace copse::popc
