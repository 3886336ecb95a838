#include "assembly_call.hpp"

#include "llvm_text.hpp"

#include <algorithm>

namespace copse::popc {
namespace {

using std::size_t;
using std::string;
using std::string_view;

/// Takes the quoted text at the front of \p line, and the text before it.
string_view takeQuoted(string_view &line) {
  const size_t open = line.find('"');
  const size_t close = line.find('"', std::min(open, line.size() - 1) + 1);
  if (close == string_view::npos)
    return {};
  const string_view text = line.substr(open + 1, close - open - 1);
  line.remove_prefix(close + 1);
  return text;
}

/// Splits constraints at commas, and the alternatives within one constraint at '|'.
std::vector<string> constraintsIn(string_view text) {
  std::vector<string> list;
  for (const string_view one : listIn(text))
    list.emplace_back(one);
  return list;
}

/// Returns the metadata that stays valid for a call of a function: the place for debuggers.
string debugIn(string_view rest) {
  const size_t at = rest.find(", !dbg ");
  if (at == string_view::npos)
    return "";
  return string(rest.substr(at, commaIn(rest.substr(at + 2)) + 2));
}

string placesIn(string_view rest) {
  constexpr string_view kName = "!srcloc ";
  const size_t at = rest.find(kName);
  if (at == string_view::npos)
    return "";
  const string_view tail = rest.substr(at + kName.size());
  return string(tail.substr(0, commaIn(tail)));
}

void readArguments(AssemblyCall &call, string_view list) {
  for (const string_view argument : listIn(list)) {
    const size_t end = typeEndIn(argument);
    call.arguments.push_back({string(argument.substr(0, end)),
                              string(argument.substr(std::min(argument.size(), end + 1)))});
  }
}

} // namespace

std::optional<AssemblyCall> assemblyCallIn(string_view line) {
  const size_t quote = line.find('"');
  const size_t name = line.find(" asm ");
  if (!line.starts_with("  ") || name == string_view::npos || name > quote)
    return std::nullopt;
  AssemblyCall call;
  size_t word = line.find("call ");
  call.isGoto = word == string_view::npos;
  if (call.isGoto)
    word = line.find("callbr ");
  if (word == string_view::npos || word > name)
    return std::nullopt;
  call.result = line.substr(0, word);
  if (const size_t tail = call.result.find("tail "); tail != string::npos)
    call.result.erase(tail);
  call.type = line.substr(line.find(' ', word) + 1, name - line.find(' ', word) - 1);
  string_view rest = line.substr(name);
  call.text = unescaped(takeQuoted(rest));
  call.constraints = constraintsIn(takeQuoted(rest));
  if (!rest.starts_with("("))
    return std::nullopt;
  int depth = 0;
  size_t end = 0;
  for (; end < rest.size(); ++end) {
    depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
    if (depth == 0)
      break;
  }
  readArguments(call, rest.substr(1, end - 1));
  rest.remove_prefix(std::min(rest.size(), end + 1));
  call.rest = debugIn(rest);
  call.places = placesIn(rest);
  if (call.type.starts_with("{"))
    for (const string_view type : listIn(string_view(call.type).substr(1, call.type.size() - 2)))
      call.outputs.emplace_back(type);
  else if (call.type != "void")
    call.outputs.push_back(call.type);
  return call;
}

} // namespace copse::popc
