#pragma once

#include <string>
#include <string_view>

/// Parses pieces of statements. All views point into the statement, so that errors have a position.
namespace copse::assembler {

constexpr bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Returns true for the first character of a symbol, directive or mnemonic.
constexpr bool isNameStart(char c) { return isLetter(c) || c == '_' || c == '.'; }
constexpr bool isNameChar(char c) { return isNameStart(c) || isDigit(c) || c == '$'; }

constexpr void skipBlanks(std::string_view &text) {
  while (!text.empty() && isSpace(text.front()))
    text.remove_prefix(1);
}

constexpr std::string_view trimmed(std::string_view text) {
  skipBlanks(text);
  while (!text.empty() && isSpace(text.back()))
    text.remove_suffix(1);
  return text;
}

/// Parses and removes the name at the front of \p text; empty if there is none.
constexpr std::string_view takeName(std::string_view &text) {
  std::size_t n = 0;
  if (!text.empty() && isNameStart(text.front()))
    while (n < text.size() && isNameChar(text[n]))
      ++n;
  const std::string_view name = text.substr(0, n);
  text.remove_prefix(n);
  return name;
}

/// Parses and removes the text before the next comma that is outside of strings and parentheses,
/// and the comma.
/// \returns the text without surrounding blanks
std::string_view takeUntilComma(std::string_view &text);

/// Returns \p text in quotes for messages: 'text'.
inline std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// Returns the content of a quoted string, with escapes unchanged; \p text itself if it is not
/// quoted.
std::string_view unquoted(std::string_view text);

} // namespace copse::assembler
