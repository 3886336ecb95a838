#include "assembly_macros.hpp"

#include "assembly_call.hpp"
#include "llvm_text.hpp"

#include <algorithm>

namespace copse::popc {
namespace {

using std::string;
using std::string_view;

// Functions that call each other in a circle are not inlined into each other.
constexpr unsigned kDeepest = 16;

/// A "$$" of LLVM's is one of the assembler's.
string assemblersText(string_view text) {
  string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    plain += text[i];
    if (text.substr(i, 2) == "$$")
      ++i;
  }
  return plain;
}

/// From ".macro" to ".endm", and ".purgem" with its name.
string definitionsIn(string_view text) {
  string definitions;
  for (std::size_t at = 0; (at = text.find('.', at)) != string_view::npos;) {
    const string_view rest = text.substr(at);
    constexpr string_view kEnd = ".endm";
    std::size_t length = 1;
    if (rest.starts_with(".macro"))
      length = std::min(rest.find(kEnd), rest.size() - kEnd.size()) + kEnd.size();
    else if (rest.starts_with(".purgem"))
      length = std::min(rest.find_first_of("\n;"), rest.size());
    if (length > 1)
      definitions += string(rest.substr(0, length)) + "\n";
    at += length;
  }
  return assemblersText(definitions);
}

/// "@f" of a line that defines or calls it; nothing for other lines.
string_view functionIn(string_view line) {
  const std::size_t at = line.find('@');
  return at == string_view::npos ? string_view() : nameAt(line.substr(at));
}

bool isCall(string_view line) { return line.starts_with("  ") && hasWord(line, "call"); }

bool mentionsMacros(string_view line) {
  return line.find(".macro") != string_view::npos || line.find(".purgem") != string_view::npos;
}

} // namespace

AssemblyMacros::AssemblyMacros(string_view module) {
  if (!mentionsMacros(module))
    return;
  std::vector<Event> *events = nullptr;
  for (const string_view line : linesOf(module)) {
    if (line.starts_with("define "))
      events = &functions_[string(functionIn(line))];
    else if (events != nullptr && mentionsMacros(line)) {
      if (const auto call = assemblyCallIn(line))
        events->push_back({false, definitionsIn(call->text)});
    } else if (events != nullptr && isCall(line) && !functionIn(line).empty()) {
      events->push_back({true, string(functionIn(line))});
    }
  }
}

string AssemblyMacros::before(string_view line) {
  if (functions_.empty())
    return "";
  if (line.starts_with("define "))
    known_.clear();
  const string known = known_;
  if (mentionsMacros(line)) {
    if (const auto call = assemblyCallIn(line))
      known_ += definitionsIn(call->text);
  } else if (isCall(line) && !functionIn(line).empty()) {
    known_ += ofFunction(string(functionIn(line)), 0);
  }
  return known;
}

string AssemblyMacros::ofFunction(const string &name, unsigned depth) const {
  const auto found = functions_.find(name);
  if (found == functions_.end() || depth > kDeepest)
    return "";
  string text;
  for (const Event &event : found->second)
    text += event.isCall ? ofFunction(event.text, depth + 1) : event.text;
  return text;
}

} // namespace copse::popc
