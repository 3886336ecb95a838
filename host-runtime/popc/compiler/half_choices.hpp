#pragma once

#include <clang/Basic/Diagnostic.h>
#include <set>
#include <string>
#include <utility>

namespace copse::popc {

/// On CPU targets a half is a class that converts to float and back, so that `c ? h : 1.0f` is
/// ambiguous. The tile's compiler accepts it, as a choice between two built-in types. Finds such
/// choices among the errors of a parse, and passes all messages on.
class HalfChoices : public clang::DiagnosticConsumer {
public:
  explicit HalfChoices(clang::DiagnosticConsumer &next) : next_(next) {}

  /// Returns \p source with the halves of these choices converted to float. A choice within another
  /// one is found first, so a source may have to be parsed several times.
  std::string convertedIn(std::string source) const;
  bool isEmpty() const { return operands_.empty(); }

  void BeginSourceFile(const clang::LangOptions &options, const clang::Preprocessor *pp) override {
    next_.BeginSourceFile(options, pp);
  }
  void EndSourceFile() override { next_.EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override;

private:
  /// A range of bytes of the source: the first, and the one after the last.
  using Extent = std::pair<unsigned, unsigned>;

  clang::DiagnosticConsumer &next_;
  std::set<Extent> operands_;
};

} // namespace copse::popc
