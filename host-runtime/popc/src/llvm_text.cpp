#include "llvm_text.hpp"

#include <algorithm>
#include <cctype>

namespace copse::popc {
namespace {

constexpr std::string_view kOpen = "<([{", kClose = ">)]}";

std::string_view withoutBlanks(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// Returns the first place of \p wanted outside all brackets, or the text's size.
std::size_t outsideBrackets(std::string_view text, char wanted) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kOpen.find(text[i]) != std::string_view::npos)
      ++depth;
    else if (kClose.find(text[i]) != std::string_view::npos)
      --depth;
    else if (text[i] == wanted && depth == 0)
      return i;
  }
  return text.size();
}

} // namespace

bool isPartOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '$' || c == '-';
}

bool hasWord(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + 1)) {
    const bool begins = at == 0 || !isPartOfName(line[at - 1]);
    const bool ends = at + word.size() >= line.size() || !isPartOfName(line[at + word.size()]);
    if (begins && ends)
      return true;
  }
  return false;
}

std::string_view nameAt(std::string_view text) {
  if (text.size() > 1 && text[1] == '"') {
    const std::size_t close = text.find('"', 2);
    return text.substr(0, close == std::string_view::npos ? text.size() : close + 1);
  }
  std::size_t end = std::min<std::size_t>(1, text.size());
  while (end < text.size() && isPartOfName(text[end]))
    ++end;
  return text.substr(0, end);
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::size_t commaIn(std::string_view text) { return outsideBrackets(text, ','); }

std::vector<std::string_view> listIn(std::string_view text) {
  std::vector<std::string_view> list;
  while (text.find_first_not_of(' ') != std::string_view::npos) {
    const std::size_t comma = commaIn(text);
    list.push_back(withoutBlanks(text.substr(0, comma)));
    text.remove_prefix(std::min(text.size(), comma + 1));
  }
  return list;
}

std::size_t typeEndIn(std::string_view text) { return outsideBrackets(text, ' '); }

std::string unescaped(std::string_view escaped) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  std::string text;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    const bool isCode = escaped[i] == '\\' && i + 2 < escaped.size() &&
                        std::isxdigit(static_cast<unsigned char>(escaped[i + 1])) != 0;
    if (isCode) {
      text += static_cast<char>(16 * digit(escaped[i + 1]) + digit(escaped[i + 2]));
      i += 2;
    } else {
      text += escaped[i];
      i += escaped.substr(i, 2) == "\\\\" ? 1 : 0;
    }
  }
  return text;
}

std::string escaped(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (const char c : bytes) {
    const auto code = static_cast<unsigned char>(c);
    text += '\\';
    text += kDigits[code >> 4];
    text += kDigits[code & 15];
  }
  return text;
}

} // namespace copse::popc
