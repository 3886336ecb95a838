#include "tile_limits.hpp"

#include "llvm_text.hpp"

#include "popc/demangled.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace copse::popc {
namespace {

using std::string;
using std::string_view;

/// Returns "counter" for "@counter = internal global i32 0".
string_view nameIn(string_view line) { return line.substr(1, line.find(" = ") - 1); }

/// Returns true for a variable of the user that is no constant. Excluded are variables of popc and
/// of the standard library, and marks that a function's variable is initialised.
bool isVariable(string_view line) {
  const std::size_t global = line.find(" global "), equals = line.find(" = ");
  return line.starts_with('@') && global != string_view::npos && global >= equals &&
         line.substr(0, global).find(" external") == string_view::npos && line.find("llvm.") != 1 &&
         nameIn(line).find("copse") == string_view::npos && !nameIn(line).starts_with("_ZGV") &&
         !nameIn(line).starts_with("_ZSt") && !nameIn(line).starts_with("_ZNSt");
}

/// Returns true if \p line is an instruction that does more with \p name than load it.
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

/// Functions of C that allocate from the heap, by their declarations; C++'s begin with "_Zn".
constexpr std::array<string_view, 5> kHeapFunctions{"@malloc", "@calloc", "@realloc",
                                                    "@aligned_alloc", "@posix_memalign"};

bool takesFromHeap(string_view function) {
  return std::ranges::find(kHeapFunctions, function) != kHeapFunctions.end() ||
         function.starts_with("@_Znw") || function.starts_with("@_Zna");
}

string warningsOfHeap(const std::vector<string_view> &lines, const string &source) {
  string warnings;
  for (const string_view line : lines) {
    if (!line.starts_with("declare "))
      continue;
    const string_view function = nameAt(line.substr(std::min(line.find('@'), line.size())));
    if (takesFromHeap(function))
      warnings += source + ": warning: '" + demangled(string(function.substr(1))) +
                  "' takes memory from a heap, which tiles do not have: make it a field of the "
                  "vertex or an array of the function\n";
  }
  return warnings;
}

} // namespace

TileLimitMessages messagesOfTileLimits(string_view module, const string &source) {
  TileLimitMessages messages;
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
  messages.warnings += warningsOfHeap(lines, source);
  return messages;
}

} // namespace copse::popc
