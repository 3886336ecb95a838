#pragma once

#include "assembler/diagnostics.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace copse::assembler {

/// One statement of a source, a brace of a bundle, or the end of the source.
struct Statement {
  enum class Kind { Text, Open, Close, End };
  Kind kind = Kind::End;
  /// Without comments and surrounding blanks; valid until the next statement.
  std::string_view text;
  Location at;
};

/// Splits text into statements and bundle braces, follows line markers, and reads the expansions of
/// macros before the text after them.
class StatementReader {
public:
  StatementReader(std::string_view source, const std::string &fileName, Diagnostics &diagnostics);

  /// \returns Kind::End at the end of the source, and from then on
  Statement next();

  /// The text between two statements, which macros store.
  struct Body {
    std::string text;
    std::uint32_t file = 0, line = 0; ///< place of its first character
  };
  /// Reads up to the directive that ends a body; nested bodies are included.
  /// \param opens   returns true for a statement that begins a nested body
  /// \param closes  returns the position in a statement of the directive that ends a body; npos:
  ///   none
  /// \throws StatementError if the text ends first
  template <class Opens, class Closes> Body bodyUntil(Opens opens, Closes closes);

  /// Makes \p text the next text to read.
  /// \param expansion  number in Diagnostics
  /// \throws StatementError if expansions are nested too deeply
  void expand(std::string text, std::uint32_t file, std::uint32_t line, std::uint32_t expansion);
  /// Leaves the innermost expansion (.exitm).
  /// \returns false if there is none
  bool leaveExpansion();
  /// Returns the expansion of the current text; 0 outside of expansions.
  std::uint32_t expansion() const { return buffers_.back()->expansion; }
  bool isInExpansion() const { return buffers_.size() > 1; }
  std::size_t depth() const { return buffers_.size(); }

private:
  struct Buffer {
    std::string owned;
    std::string_view text;
    std::size_t at = 0, lineStart = 0;
    std::uint32_t file = 0, line = 1, expansion = 0;
  };
  bool skipToStatement(Buffer &b);
  void skipLine(Buffer &b);
  void hashLine(Buffer &b);
  std::size_t statementEnd(const Buffer &b) const;
  Location here(const Buffer &b) const;

  Diagnostics &diagnostics_;
  std::vector<std::unique_ptr<Buffer>> buffers_;  ///< innermost last
  std::vector<std::unique_ptr<Buffer>> finished_; ///< kept while a statement points into it
};

template <class Opens, class Closes>
StatementReader::Body StatementReader::bodyUntil(Opens opens, Closes closes) {
  Buffer &b = *buffers_.back();
  Body body{{}, b.file, b.line};
  const std::size_t begin = b.at;
  int depth = 0;
  while (skipToStatement(b)) {
    const std::size_t start = b.at, end = statementEnd(b);
    const std::string_view text = b.text.substr(start, end - start);
    b.at = end > start ? end : start + 1; // a brace
    if (opens(text))
      ++depth;
    else if (const std::size_t close = closes(text);
             close != std::string_view::npos && depth-- == 0) {
      body.text = b.text.substr(begin, start + close - begin);
      return body;
    }
  }
  throw StatementError(nullptr, "its end is missing");
}

} // namespace copse::assembler
