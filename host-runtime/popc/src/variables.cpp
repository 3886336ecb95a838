#include "variables.hpp"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <vector>

namespace copse::popc {
namespace {

using std::string;
using std::string_view;

/// "lib::counter" of "_ZN3lib7counterE"; a name of C as it is.
string demangled(const string &symbol) {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), &std::free);
  return name ? name.get() : symbol;
}

std::vector<string_view> linesOf(string_view text) {
  std::vector<string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// "counter" of "@counter = internal global i32 0".
string_view nameIn(string_view line) { return line.substr(1, line.find(" = ") - 1); }

/// One of the user's that is no constant: neither of popc, nor of the standard library, nor a mark
/// that a variable of a function has its first value.
bool isVariable(string_view line) {
  const std::size_t global = line.find(" global "), equals = line.find(" = ");
  return line.starts_with('@') && global != string_view::npos && global >= equals &&
         line.substr(0, global).find(" external") == string_view::npos && line.find("llvm.") != 1 &&
         nameIn(line).find("copse") == string_view::npos && !nameIn(line).starts_with("_ZGV") &&
         !nameIn(line).starts_with("_ZSt") && !nameIn(line).starts_with("_ZNSt");
}

/// Whether \p line is an instruction that does more with \p name than load it.
bool changes(string_view line, string_view name) {
  if (!line.starts_with("  ") || line.find("= load ") != string_view::npos)
    return false;
  const string word = "@" + string(name);
  for (std::size_t at = line.find(word); at != string_view::npos; at = line.find(word, at + 1)) {
    const char next = at + word.size() < line.size() ? line[at + word.size()] : ',';
    if (next == ',' || next == ' ' || next == ')')
      return true;
  }
  return false;
}

} // namespace

VariableMessages messagesOfVariables(string_view module, const string &source) {
  VariableMessages messages;
  const std::vector<string_view> lines = linesOf(module);
  for (const string_view line : lines) {
    if (!isVariable(line))
      continue;
    const string name(nameIn(line)), shown = "'" + demangled(name) + "'";
    if (line.find(" thread_local") != string_view::npos)
      messages.errors += source + ": error: variable " + shown +
                         " is thread_local, which tiles do not have: make it a field of the vertex "
                         "or a variable of the function\n";
    else if (std::ranges::any_of(lines, [&](string_view other) { return changes(other, name); }))
      messages.warnings += source + ": warning: variable " + shown +
                           " is one for all tiles of this process, not one on each tile: make it a "
                           "field of the vertex\n";
  }
  return messages;
}

} // namespace copse::popc
