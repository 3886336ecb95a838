#include "tile_pointers.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace copse::popc {
namespace {

using std::string;
using std::string_view;

constexpr string_view kAddressMask = "2097151"; // 21 bits

/// Returns "%13" for "  %13 = ptrtoint ptr %12 to i64", and an empty text for other lines.
string_view resultOf(string_view line, string_view operation) {
  const std::size_t equals = line.find(" = ");
  if (!line.starts_with("  %") || equals == string_view::npos ||
      !line.substr(equals + 3).starts_with(operation))
    return {};
  return line.substr(2, equals - 2);
}

} // namespace

string withTilePointers(const string &module) {
  constexpr string_view kTruncation = "trunc i64 ";
  string text;
  text.reserve(module.size());
  std::set<string, std::less<>> pointers; // of the current function, as integers
  std::size_t count = 0;
  for (std::size_t at = 0; at < module.size();) {
    const std::size_t end = std::min(module.find('\n', at), module.size());
    string_view line = string_view(module).substr(at, end - at);
    at = end + 1;
    if (line == "}")
      pointers.clear();
    if (const string_view integer = resultOf(line, "ptrtoint ptr "); !integer.empty())
      pointers.emplace(integer);
    if (!pointers.empty() && !resultOf(line, kTruncation).empty()) {
      const std::size_t operand = line.find(kTruncation) + kTruncation.size();
      const std::size_t behind = line.find(" to i32", operand);
      const string_view value = line.substr(operand, behind - operand);
      if (behind != string_view::npos && pointers.contains(value)) {
        const string address = "%copse.address." + std::to_string(count++);
        text += "  " + address + " = and i64 " + string(value) + ", " + string(kAddressMask) + "\n";
        text += string(line.substr(0, operand)) + address + string(line.substr(behind)) + "\n";
        continue;
      }
    }
    text += line;
    text += '\n';
  }
  return text;
}

} // namespace copse::popc
