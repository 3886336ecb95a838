#include "linkage.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace copse::popc {
namespace {

using std::string;
using std::string_view;

bool hasWord(string_view text, string_view word) {
  return (" " + string(text) + " ").find(" " + string(word) + " ") != string::npos;
}

/// Other modules cannot use it, or have one of their own.
bool isPrivate(string_view attributes) {
  constexpr std::array<string_view, 8> kWords{
      "private", "internal", "linkonce", "linkonce_odr", "weak", "weak_odr", "available_externally",
      "external"};
  return std::ranges::any_of(kWords, [&](string_view word) { return hasWord(attributes, word); });
}

/// \returns the name behind the first @ of a line, nothing if it is ours or LLVM's
string_view nameIn(string_view line) {
  const std::size_t at = line.find('@');
  if (at == string_view::npos)
    return {};
  const string_view name = line.substr(at + 1, line.find_first_of(" (", at) - at - 1);
  const bool isOurs = name.find("__copse") != string_view::npos || name.starts_with("llvm.") ||
                      name.find("copse_entry") != string_view::npos || name.starts_with('"');
  return isOurs ? string_view() : name;
}

string_view symbolDefinedBy(string_view line) {
  constexpr string_view kFunction = "define ";
  if (line.starts_with(kFunction))
    return isPrivate(line.substr(0, line.find('@'))) ? string_view() : nameIn(line);
  if (!line.starts_with('@'))
    return {};
  const std::size_t equals = line.find(" = ");
  if (equals == string_view::npos)
    return {};
  const string_view behind = line.substr(equals + 3);
  const std::size_t kind = std::min(behind.find("global "), behind.find("constant "));
  return kind == string_view::npos || isPrivate(behind.substr(0, kind)) ? string_view()
                                                                        : nameIn(line);
}

} // namespace

std::vector<string> definitionsIn(const string &llvmText) {
  std::vector<string> symbols;
  std::istringstream text(llvmText);
  for (string line; std::getline(text, line);)
    if (const string_view symbol = symbolDefinedBy(line); !symbol.empty())
      symbols.emplace_back(symbol);
  return symbols;
}

} // namespace copse::popc
