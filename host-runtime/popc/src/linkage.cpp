#include "linkage.hpp"

#include "llvm_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace copse::popc {
namespace {

using std::string;
using std::string_view;

/// Returns true if other modules cannot use the symbol, or have their own copy.
bool isPrivate(string_view attributes) {
  constexpr std::array<string_view, 8> kWords{
      "private", "internal", "linkonce", "linkonce_odr",
      "weak",    "weak_odr", "external", "available_externally"};
  return std::ranges::any_of(kWords, [&](string_view word) { return hasWord(attributes, word); });
}

/// Returns true for symbols that LLVM or popc adds, such as entry points of vertices.
bool isOurs(string_view symbol) {
  return symbol.starts_with("__runCodelet_") || symbol.find("__copse") != string_view::npos ||
         symbol.starts_with("llvm.") || symbol.find("copse_entry") != string_view::npos ||
         symbol.starts_with('"');
}

/// Returns the words before the name that a line defines, or between it and the type of a variable.
string_view attributesIn(string_view line) {
  if (!line.starts_with('@'))
    return line.substr(0, line.find('@'));
  const std::size_t kind = std::min(line.find(" global "), line.find(" constant "));
  return line.substr(0, kind).substr(nameAt(line).size());
}

bool isDefinition(string_view line) {
  return line.starts_with("define ") ||
         (line.starts_with('@') && (hasWord(line, "global") || hasWord(line, "constant")));
}

} // namespace

std::vector<string> definitionsIn(const string &llvmText) {
  std::vector<string> symbols;
  for (const string_view line : linesOf(llvmText)) {
    if (!isDefinition(line) || isPrivate(attributesIn(line)))
      continue;
    const string_view symbol = nameAt(line.substr(line.find('@'))).substr(1);
    if (!isOurs(symbol))
      symbols.emplace_back(symbol);
  }
  return symbols;
}

} // namespace copse::popc
