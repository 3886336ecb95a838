#include "half_choices.hpp"

#include "clang_names.hpp"
#include "parsed_source.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace copse::popc {
namespace {

constexpr const char *kPath = "codelets.ii"; // of the preprocessed source

/// A range of bytes of the source: the first, and the one after the last.
using Extent = std::pair<unsigned, unsigned>;

unsigned offsetOf(CXSourceLocation location) {
  unsigned offset = 0;
  clang_getFileLocation(location, nullptr, nullptr, nullptr, &offset);
  return offset;
}

/// Adds the operands of the `?:` that \p diagnostic calls ambiguous.
void addOperands(CXDiagnostic diagnostic, std::set<Extent> &operands) {
  const std::string text = taken(clang_getDiagnosticSpelling(diagnostic));
  if (text.find("conditional expression is ambiguous") == std::string::npos ||
      text.find("half") == std::string::npos || clang_getDiagnosticNumRanges(diagnostic) != 2)
    return;
  for (unsigned i = 0; i < 2; ++i) {
    const CXSourceRange range = clang_getDiagnosticRange(diagnostic, i);
    operands.emplace(offsetOf(clang_getRangeStart(range)), offsetOf(clang_getRangeEnd(range)));
  }
}

std::set<Extent> ambiguousOperands(const std::string &source,
                                   const std::vector<std::string> &arguments) {
  const ParsedSource parsed(source, kPath, arguments, ParsedSource::Depth::Bodies);
  std::set<Extent> operands;
  for (unsigned i = 0; i < clang_getNumDiagnostics(parsed.unit()); ++i) {
    const CXDiagnostic diagnostic = clang_getDiagnostic(parsed.unit(), i);
    addOperands(diagnostic, operands);
    clang_disposeDiagnostic(diagnostic);
  }
  return operands;
}

/// Changes operands from the back, so that earlier places stay valid. Operands do not overlap,
/// because libclang first reports only the inner one of two nested choices.
void makePlain(std::string &source, const std::set<Extent> &operands) {
  for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand) {
    source.insert(operand->second, ")");
    source.insert(operand->first, "::poplar::encoding::plainNumber(");
  }
}

} // namespace

std::optional<std::string> withFloatChoices(const std::string &expanded,
                                            std::vector<std::string> arguments) {
  const auto language = std::ranges::find(arguments, "-x");
  if (language != arguments.end() && language + 1 != arguments.end())
    *(language + 1) = "c++-cpp-output";
  constexpr int kMostRounds = 10; // depth of nested choices
  std::string source = expanded;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::set<Extent> operands = ambiguousOperands(source, arguments);
    if (operands.empty())
      break;
    makePlain(source, operands);
  }
  return source == expanded ? std::nullopt : std::optional(std::move(source));
}

} // namespace copse::popc
