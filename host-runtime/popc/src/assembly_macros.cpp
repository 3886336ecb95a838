#include "assembly_macros.hpp"

#include "assembly_call.hpp"
#include "llvm_text.hpp"

#include <algorithm>
#include <utility>

namespace copse::popc {
namespace {

using std::string;
using std::string_view;

/// Returns the text for the assembler, in which LLVM's "$$" is "$".
string assemblersText(string_view text) {
  string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    plain += text[i];
    if (text.substr(i, 2) == "$$")
      ++i;
  }
  return plain;
}

/// Returns all definitions from ".macro" to ".endm", and each ".purgem" with its name.
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

/// Returns "@f" for a line that defines or calls f, and nothing for other lines.
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
    else if (auto event = eventIn(line); event && events != nullptr)
      events->push_back(std::move(*event));
  }
}

void AssemblyMacros::read(string_view line) {
  if (functions_.empty())
    return;
  if (line.starts_with("define "))
    known_.clear();
  else if (const auto event = eventIn(line))
    append(known_, *event);
}

std::optional<AssemblyMacros::Event> AssemblyMacros::eventIn(string_view line) {
  if (mentionsMacros(line)) {
    const auto call = assemblyCallIn(line);
    return call ? std::optional(Event{false, definitionsIn(call->text)}) : std::nullopt;
  }
  if (!isCall(line) || functionIn(line).empty())
    return std::nullopt;
  return Event{true, string(functionIn(line))};
}

void AssemblyMacros::append(string &text, const Event &event) {
  text += event.isCall ? textOf(event.text) : event.text;
}

const string &AssemblyMacros::textOf(const string &function) {
  // Functions that call each other in a circle are not inlined into each other. The one that is
  // asked for again has no text yet.
  const auto [known, isNew] = texts_.try_emplace(function);
  if (const auto found = functions_.find(function); isNew && found != functions_.end()) {
    string text;
    for (const Event &event : found->second)
      append(text, event);
    known->second = std::move(text);
  }
  return known->second;
}

} // namespace copse::popc
