#include "text.hpp"

namespace copse::assembler {

std::string_view takeUntilComma(std::string_view &text) {
  int depth = 0;
  bool isQuoted = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (isQuoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        isQuoted = false;
    } else if (c == '"') {
      isQuoted = true;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      break;
    }
  }
  i = i < text.size() ? i : text.size();
  const std::string_view before = trimmed(text.substr(0, i));
  text.remove_prefix(i < text.size() ? i + 1 : i);
  return before;
}

std::string_view unquoted(std::string_view text) {
  const bool isQuoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return isQuoted ? text.substr(1, text.size() - 2) : text;
}

} // namespace copse::assembler
