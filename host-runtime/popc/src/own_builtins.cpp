#include "own_builtins.hpp"

#include <cctype>
#include <cstddef>
#include <functional>
#include <set>
#include <string_view>

namespace copse::popc {
namespace {

using std::size_t;
using std::string;
using std::string_view;

constexpr string_view kBuiltinPrefix = "__builtin_ipu_";

bool isOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Returns true if a line marker begins lines of a system header: "# 1 "a.h" 1 3".
bool isOfSystem(string_view marker) {
  return marker.substr(marker.rfind('"') + 1).find(" 3") != string_view::npos;
}

/// Calls \p work with each name of a builtin, and with true for names in system headers.
void forEachBuiltin(string_view text,
                    const std::function<void(size_t at, string_view name, bool isOfSystem)> &work) {
  bool ofSystem = false;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const string_view line = text.substr(begin, end - begin);
    if (line.starts_with("# "))
      ofSystem = isOfSystem(line);
    else
      for (size_t at = line.find(kBuiltinPrefix); at != string_view::npos;) {
        size_t past = at + kBuiltinPrefix.size();
        while (past < line.size() && isOfName(line[past]))
          ++past;
        if (at == 0 || !isOfName(line[at - 1]))
          work(begin + at, line.substr(at, past - at), ofSystem);
        at = line.find(kBuiltinPrefix, past);
      }
    begin = end + 1;
  }
}

size_t pastBlanks(string_view text, size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0)
    ++at;
  return at;
}

/// Returns the place after the parentheses that open at \p at.
size_t pastParentheses(string_view text, size_t at) {
  unsigned depth = 0;
  for (; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : 0;
    depth -= text[at] == ')' ? 1 : 0;
    if (depth == 0)
      return at + 1;
  }
  return at;
}

/// Returns true if a function's name is followed by the rest of a definition: parameters, words
/// such as noexcept, and a body. A call continues differently after its arguments.
bool isDefinition(string_view text, size_t behindName) {
  size_t at = pastBlanks(text, behindName);
  if (at == text.size() || text[at] != '(')
    return false;
  at = pastBlanks(text, pastParentheses(text, at));
  while (at < text.size() && isOfName(text[at])) {
    while (at < text.size() && isOfName(text[at]))
      ++at;
    at = pastBlanks(text, at);
    if (at < text.size() && text[at] == '(')
      at = pastBlanks(text, pastParentheses(text, at));
  }
  return at < text.size() && text[at] == '{';
}

} // namespace

string withOwnBuiltins(string expanded) {
  std::set<string> own;
  forEachBuiltin(expanded, [&](size_t at, string_view name, bool isOfSystem) {
    if (!isOfSystem && isDefinition(expanded, at + name.size()))
      own.emplace(name);
  });
  if (own.empty())
    return expanded;
  string text;
  size_t copied = 0;
  forEachBuiltin(expanded, [&](size_t at, string_view name, bool isOfSystem) {
    if (!isOfSystem || !own.contains(string(name)))
      return;
    const size_t end = at + name.size();
    text.append(expanded, copied, end - copied).append("_of_copse");
    copied = end;
  });
  return text.append(expanded, copied);
}

} // namespace copse::popc
