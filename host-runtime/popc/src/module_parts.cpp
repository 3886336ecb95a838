#include "module_parts.hpp"

#include "llvm_text.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace copse::popc {
namespace {

using std::size_t;
using std::string;
using std::string_view;

constexpr size_t kMostParts = 8;

/// A function or a variable that the module defines.
struct Definition {
  string_view name;                   ///< "@_ZN3Add7computeEv"
  string_view text;                   ///< whole lines
  bool mayBeCopied = false;           ///< to several parts, or to none if it is unused
  bool isOfPopc = false;              ///< a variable of popc, which may be unused in the module
  std::vector<string_view> uses = {}; ///< names, without duplicates
};

/// Returns the names in \p text. A name within a string counts, too; this can only keep functions
/// together needlessly.
std::vector<string_view> namesIn(string_view text) {
  std::set<string_view> names;
  for (size_t at = text.find('@'); at != string_view::npos; at = text.find('@', at + 1))
    names.insert(nameAt(text.substr(at)));
  return {names.begin(), names.end()};
}

bool hasOneOf(string_view line, const auto &words) {
  return std::ranges::any_of(words, [&](string_view word) { return hasWord(line, word); });
}

/// Returns true if the linker keeps one copy of several, or each part may have its own.
bool isMergedByLinker(string_view head) {
  static constexpr std::array<string_view, 3> kWords{"linkonce_odr", "linkonce",
                                                     "available_externally"};
  return hasOneOf(head, kWords);
}

/// Returns true for functions and variables that only the module itself uses.
bool isLocal(string_view head) {
  static constexpr std::array<string_view, 2> kWords{"internal", "private"};
  return hasOneOf(head, kWords);
}

bool isAddressNoMatter(string_view head) {
  static constexpr std::array<string_view, 2> kWords{"unnamed_addr", "local_unnamed_addr"};
  return hasOneOf(head, kWords);
}

bool mayFunctionBeCopied(string_view name, string_view head) {
  return isMergedByLinker(head) ||
         (isLocal(head) && (isAddressNoMatter(head) || name.starts_with("@copse.")));
}

/// Returns the line of a variable up to its type.
string_view headOf(string_view line) {
  return line.substr(0, std::min(line.find(" global "), line.find(" constant ")) + 10);
}

bool mayVariableBeCopied(string_view head) {
  return isMergedByLinker(head) ||
         (isLocal(head) && hasWord(head, "constant") && isAddressNoMatter(head));
}

bool isDeclaration(string_view head) {
  static constexpr std::array<string_view, 2> kWords{"external", "extern_weak"};
  return hasOneOf(head, kWords);
}

/// A list of definitions that must stay although they are unused. Each part gets the names that it
/// defines. @llvm.compiler.used = appending global [2 x ptr] [ptr @a, ptr @b], section
/// "llvm.metadata"
class UseList {
public:
  static std::optional<UseList> in(string_view line) {
    const size_t type = line.find(" = appending global ["), open = line.find("] [");
    const size_t close = line.find(']', open + 3);
    if (type == string_view::npos || open == string_view::npos || close == string_view::npos)
      return std::nullopt;
    UseList list;
    list.name_ = line.substr(0, type);
    list.rest_ = line.substr(close + 1);
    string_view names = line.substr(open + 3, close - open - 3);
    constexpr string_view kType = "ptr ";
    while (!names.empty()) {
      if (!names.starts_with(string(kType) + "@"))
        return std::nullopt;
      const string_view name = nameAt(names.substr(kType.size()));
      list.names_.push_back(name);
      names.remove_prefix(kType.size() + name.size());
      if (names.starts_with(", "))
        names.remove_prefix(2);
      else if (!names.empty())
        return std::nullopt;
    }
    return list;
  }

  bool has(string_view name) const { return std::ranges::find(names_, name) != names_.end(); }

  string with(const std::set<string_view> &defined) const {
    string text;
    size_t count = 0;
    for (const string_view name : names_)
      if (defined.contains(name)) {
        text += (count == 0 ? "ptr " : ", ptr ") + string(name);
        ++count;
      }
    return count == 0 ? ""
                      : string(name_) + " = appending global [" + std::to_string(count) +
                            " x ptr] [" + text + "]" + string(rest_) + "\n";
  }

private:
  string_view name_, rest_;
  std::vector<string_view> names_;
};

/// A module, taken apart.
struct TakenApart {
  std::vector<Definition> definitions;
  std::vector<UseList> lists;
  string shared; ///< types, declarations, attributes, metadata
};

/// Returns true for a line that forbids division. Debug information describes a whole module;
/// aliases, constructors and assembly outside of functions are too rare to divide them.
bool isIndivisible(string_view line) {
  static constexpr std::array<string_view, 3> kBegins{"module asm", "!llvm.dbg.cu",
                                                      "@llvm.global_"};
  const bool isAlias = line.starts_with('@') && (hasWord(line, "alias") || hasWord(line, "ifunc"));
  const bool isMetadataOfFunctions = line.starts_with('!') && line.find("ptr @") != string::npos;
  return isAlias || isMetadataOfFunctions ||
         std::ranges::any_of(kBegins, [&](string_view begin) { return line.starts_with(begin); });
}

/// \returns nothing if the module must not be divided
std::optional<TakenApart> takenApart(string_view module) {
  TakenApart taken;
  for (size_t at = 0; at < module.size();) {
    size_t end = std::min(module.find('\n', at), module.size() - 1) + 1;
    const string_view line = module.substr(at, end - at);
    if (isIndivisible(line))
      return std::nullopt;
    if (line.starts_with("define ")) {
      const size_t close = module.find("\n}\n", at);
      if (close == string_view::npos)
        return std::nullopt;
      end = close + 3;
      const string_view name = nameAt(line.substr(line.find('@')));
      taken.definitions.push_back(
          {name, module.substr(at, end - at), mayFunctionBeCopied(name, line)});
    } else if (line.starts_with("@llvm.")) {
      auto list = UseList::in(line.substr(0, line.size() - 1));
      if (!list)
        return std::nullopt;
      taken.lists.push_back(std::move(*list));
    } else if (const string_view head = headOf(line);
               line.starts_with('@') && !isDeclaration(head)) {
      const string_view name = nameAt(line);
      const bool isOfPopc = name.starts_with("@__copse"); // each source has them
      taken.definitions.push_back({name, line, isOfPopc || mayVariableBeCopied(head), isOfPopc});
    } else if (!line.starts_with(';')) {
      taken.shared += line;
    }
    at = end;
  }
  for (Definition &definition : taken.definitions) {
    definition.uses = namesIn(definition.text);
    const bool isListed = std::ranges::any_of(
        taken.lists, [&](const UseList &list) { return list.has(definition.name); });
    if (isListed && !definition.isOfPopc)
      definition.mayBeCopied = false;
  }
  return taken;
}

/// Groups of definitions that have to be in one part.
class Groups {
public:
  explicit Groups(size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), size_t{0});
  }
  size_t of(size_t member) {
    while (parents_[member] != member)
      member = parents_[member] = parents_[parents_[member]];
    return member;
  }
  /// Joins two groups. The first member stands for its group.
  void join(size_t one, size_t other) {
    one = of(one);
    other = of(other);
    parents_[std::max(one, other)] = std::min(one, other);
  }

private:
  std::vector<size_t> parents_;
};

class Divider {
public:
  explicit Divider(TakenApart taken)
      : taken_(std::move(taken)), groups_(taken_.definitions.size()) {
    for (size_t i = 0; i < taken_.definitions.size(); ++i)
      places_[taken_.definitions[i].name] = i;
    for (size_t i = 0; i < taken_.definitions.size(); ++i)
      if (!taken_.definitions[i].mayBeCopied) {
        needs_[i] = neededBy(i);
        for (const size_t other : needs_[i])
          if (!taken_.definitions[other].mayBeCopied)
            groups_.join(i, other);
      }
  }

  std::vector<string> parts(size_t partBytes) {
    std::map<size_t, std::set<size_t>> members; // for each group, including copies
    for (const auto &[i, needed] : needs_)
      members[groups_.of(i)].insert(needed.begin(), needed.end());
    size_t total = 0;
    std::vector<std::pair<size_t, const std::set<size_t> *>> bySize;
    for (const auto &[group, definitions] : members) {
      size_t bytes = 0;
      for (const size_t i : definitions)
        bytes += taken_.definitions[i].text.size();
      total += bytes;
      bySize.emplace_back(bytes, &definitions);
    }
    const size_t count = std::min({kMostParts, total / partBytes, bySize.size()});
    if (count < 2)
      return {};
    std::ranges::stable_sort(bySize, std::greater(), [](const auto &group) { return group.first; });
    std::vector<std::set<size_t>> parts(count);
    std::vector<size_t> sizes(count);
    for (const auto &[bytes, definitions] : bySize) {
      const auto smallest = static_cast<size_t>(std::ranges::min_element(sizes) - sizes.begin());
      parts[smallest].insert(definitions->begin(), definitions->end());
      sizes[smallest] += bytes;
    }
    // They may be unused in the module, but the program that loads it uses them.
    for (size_t i = 0; i < taken_.definitions.size(); ++i)
      if (taken_.definitions[i].isOfPopc)
        parts.front().insert(i);
    std::vector<string> texts;
    for (const std::set<size_t> &part : parts)
      texts.push_back(textOf(part));
    return texts;
  }

private:
  /// Returns the definitions that \p first needs, including itself.
  std::set<size_t> neededBy(size_t first) const {
    std::set<size_t> needed{first};
    std::vector<size_t> open{first};
    while (!open.empty()) {
      const Definition &definition = taken_.definitions[open.back()];
      open.pop_back();
      for (const string_view name : definition.uses)
        if (const auto place = places_.find(name);
            place != places_.end() && needed.insert(place->second).second)
          open.push_back(place->second);
    }
    return needed;
  }

  string textOf(const std::set<size_t> &part) const {
    string text = taken_.shared;
    std::set<string_view> names;
    for (const size_t i : part) {
      text += taken_.definitions[i].text;
      names.insert(taken_.definitions[i].name);
    }
    for (const UseList &list : taken_.lists)
      text += list.with(names);
    return text;
  }

  TakenApart taken_;
  std::map<string_view, size_t> places_;
  Groups groups_;
  std::map<size_t, std::set<size_t>> needs_; ///< of definitions that must not be copied
};

} // namespace

std::vector<string> partsOf(const string &module, size_t partBytes) {
  std::vector<string> parts;
  if (module.size() >= 2 * partBytes)
    if (auto taken = takenApart(module))
      parts = Divider(std::move(*taken)).parts(partBytes);
  if (parts.empty())
    parts.push_back(module);
  return parts;
}

} // namespace copse::popc
