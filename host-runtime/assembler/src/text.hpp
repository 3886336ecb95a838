#pragma once

#include <string>
#include <string_view>

/// Small readers of statement text. All views point into the statement, so that errors know where.
namespace copse::assembler {

constexpr bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Of symbols, directives, mnemonics.
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

/// Takes the name at the front of \p text; empty if there is none.
constexpr std::string_view takeName(std::string_view &text) {
  std::size_t n = 0;
  if (!text.empty() && isNameStart(text.front()))
    while (n < text.size() && isNameChar(text[n]))
      ++n;
  const std::string_view name = text.substr(0, n);
  text.remove_prefix(n);
  return name;
}

/// Takes what stands before the next comma outside strings and parentheses, and the comma.
/// \returns it without the blanks around it
std::string_view takeUntilComma(std::string_view &text);

/// \p text as messages name it: 'text'.
inline std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// The characters of a quoted string, or \p text itself if it is not quoted. Escapes stay.
std::string_view unquoted(std::string_view text);

} // namespace copse::assembler
