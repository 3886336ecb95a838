#include "access_checks.hpp"

#include "llvm_function.hpp"
#include "llvm_text.hpp"
#include "range_checks.hpp"
#include "source_lines.hpp"

#include "wire/checked_code.hpp"
#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace copse::popc {
namespace {

using namespace llvm_text;
using std::string;
using std::string_view;

/// The largest access whose alignment the tile checks [bytes].
constexpr unsigned kMostAligned = 8;
static_assert(kMostAligned <= wire::kCheckedAlignment);

/// Returns the size of a value in native memory, or 0 for a type that this function does not know.
unsigned bytesOf(string_view type) {
  if (type.starts_with('<'))
    return elementsOf(type) * bytesOf(elementOf(type));
  if (type == "ptr")
    return 8;
  const unsigned bits = bitsOf(type);
  return (bits + 7) / 8;
}

unsigned alignmentIn(string_view text) {
  constexpr string_view kWord = "align ";
  const std::size_t at = text.find(kWord);
  unsigned align = 1;
  if (at != string_view::npos)
    std::from_chars(text.data() + at + kWord.size(), text.data() + text.size(), align);
  return std::min(align, kMostAligned);
}

/// Inserts the checks of one function's accesses.
class FunctionChecks {
public:
  FunctionChecks(const Function &function, std::size_t number, const SourceLines &lines)
      : function_(function), number_(number), lines_(lines), ranges_(function) {}

  /// Adds the inserted text, by the place of the instruction that it precedes.
  void addTo(std::map<std::size_t, string> &insertions) {
    findGuards();
    for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
      const Instruction &instruction = function_.instructions[i];
      string text;
      const auto accesses = accessesOf(instruction, text);
      for (std::size_t a = 0; a < accesses.size(); ++a)
        if (isChecked(accesses[a]))
          text += call(accesses[a], i, guards_[{i, a}]);
      if (!text.empty())
        insertions[instruction.begin] += text;
    }
    ranges_.addTo(insertions);
  }
  /// Returns the definitions of the variables that its calls refer to.
  const string &sites() const { return sites_; }

private:
  static constexpr const char *kAttributes = ") nounwind memory(inaccessiblemem: readwrite)\n";
  static constexpr string_view kOwn = "%copse."; // names of pointers to counts

  bool isChecked(const Access &access) const {
    return mayBeOfTile(access.pointer) && !readsState(access);
  }

  /// Finds loads first, because stores may have a common check only if all loads have one.
  void findGuards() {
    for (const bool stores : {false, true})
      for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
        const Instruction &instruction = function_.instructions[i];
        if (instruction.opcode == "call" && !calleeIn(instruction.rest).starts_with("@llvm."))
          ranges_.loadsByItself(i);
        string text;
        const auto accesses = accessesOf(instruction, text);
        for (std::size_t a = 0; a < accesses.size(); ++a) {
          if (accesses[a].stores != stores || !isChecked(accesses[a]))
            continue;
          guards_[{i, a}] = ranges_.guardOf(accesses[a], i);
          if (!stores && guards_[{i, a}].empty())
            ranges_.loadsByItself(i);
        }
      }
  }

  std::vector<Access> accessesOf(const Instruction &instruction, string &text) {
    const bool isLoad = instruction.opcode == "load";
    if (isLoad || instruction.opcode == "store") {
      const std::vector<string_view> parts = listIn(instruction.rest);
      if (parts.size() < 2 || !parts[1].starts_with("ptr %"))
        return {};
      const string_view type = parts[0].substr(0, typeEndIn(parts[0]));
      const unsigned bytes = bytesOf(type);
      if (bytes == 0)
        return {};
      return {{lastWord(parts[1]), std::to_string(bytes),
               std::min(alignmentIn(instruction.rest), std::bit_ceil(bytes)), !isLoad}};
    }
    return instruction.opcode == "call" ? accessesOfCall(instruction, text) : std::vector<Access>{};
  }

  /// \param text  gets the instructions that compute sizes
  std::vector<Access> accessesOfCall(const Instruction &instruction, string &text) {
    const string_view callee = calleeIn(instruction.rest);
    const bool copies = callee.starts_with("@llvm.memcpy.") || callee.starts_with("@llvm.memmove.");
    if (!copies && !callee.starts_with("@llvm.memset."))
      return {};
    const std::vector<string_view> arguments = argumentsIn(instruction.rest);
    if (arguments.size() < 3)
      return {};
    const string bytes = asWide(arguments[2], text);
    std::vector<Access> accesses;
    if (copies && lastWord(arguments[1]).starts_with('%'))
      accesses.push_back({lastWord(arguments[1]), bytes, alignmentIn(arguments[1]), false});
    if (lastWord(arguments[0]).starts_with('%'))
      accesses.push_back({lastWord(arguments[0]), bytes, alignmentIn(arguments[0]), true});
    return accesses;
  }

  string asWide(string_view size, string &text) {
    const string value(lastWord(size));
    if (!size.starts_with("i32") || !value.starts_with('%'))
      return value;
    const string wide = "%copse.bytes." + std::to_string(names_++);
    text += "  " + wide + " = zext i32 " + value + " to i64\n";
    return wide;
  }

  /// Returns true unless the pointer leads to a variable of the function.
  bool mayBeOfTile(string_view pointer) const {
    for (auto at = function_.definitionOf(pointer); at; at = function_.definitionOf(pointer)) {
      const Instruction &from = function_.instructions[*at];
      if (from.opcode == "alloca" || pointer.starts_with(kOwn))
        return false;
      if (from.opcode != "getelementptr" || from.values.empty())
        return true;
      pointer = from.values.front();
    }
    return true;
  }

  /// Returns true for a load from a named part of the vertex's state. Such a load is never wrong,
  /// and loops contain many of them.
  bool readsState(const Access &access) const {
    string_view pointer = access.pointer;
    if (access.stores || !isEntry())
      return false;
    for (auto at = function_.definitionOf(pointer); at; at = function_.definitionOf(pointer)) {
      const Instruction &from = function_.instructions[*at];
      if (from.opcode != "getelementptr" || from.values.size() != 1)
        return false;
      pointer = from.values.front();
    }
    return pointer == "%0";
  }
  /// Returns true for the entry of a codelet and for its compute(), whose first argument is the
  /// vertex.
  bool isEntry() const {
    return function_.name.starts_with("@__runCodelet_") ||
           function_.name.find("7computeE") != string_view::npos;
  }

  string call(const Access &access, std::size_t instruction, const string &guard) {
    const unsigned flags = (access.stores ? wire::kCheckedStore : 0) | access.align;
    const string arguments = "(ptr " + string(access.pointer) + ", i64 " + access.bytes + ", i32 " +
                             std::to_string(flags) + ", ptr " + siteOf(instruction);
    if (!guard.empty())
      return "  call void @copse.checkUnless" + arguments + ", i1 " + guard + ")\n";
    const string function = "%copse.check." + std::to_string(names_++);
    return "  " + function + " = load ptr, ptr @" + wire::kCheckAccessSymbol +
           ", align 8\n  call void " + function + arguments + kAttributes;
  }

  /// Returns the variable with the source line of an instruction. If optimisers have dropped the
  /// line, the nearest instruction with a line is used.
  string siteOf(std::size_t instruction) {
    string line = lines_.of(function_.instructions[instruction].text);
    const Block &block = function_.blocks[function_.blockOf(instruction)];
    for (std::size_t i = instruction; line.empty() && i < block.first + block.count; ++i)
      line = lines_.of(function_.instructions[i].text);
    for (std::size_t i = instruction; line.empty() && i-- > 0;)
      line = lines_.of(function_.instructions[i].text);
    for (std::size_t i = instruction; line.empty() && i < function_.instructions.size(); ++i)
      line = lines_.of(function_.instructions[i].text);
    if (line.empty())
      line = lines_.of(function_.header);
    const auto [known, isNew] = siteOfLine_.try_emplace(
        line, "@copse.site." + std::to_string(number_) + "." + std::to_string(siteOfLine_.size()));
    if (isNew)
      sites_ += known->second + " = private unnamed_addr constant [" +
                std::to_string(line.size() + 1) + " x i8] c\"" + escaped(line) +
                "\\00\", align 1\n";
    return known->second;
  }

  const Function &function_;
  const std::size_t number_;
  const SourceLines &lines_;
  RangeChecks ranges_;
  /// By instruction and number of its access.
  std::map<std::pair<std::size_t, std::size_t>, string> guards_;
  std::map<string, string> siteOfLine_;
  string sites_;
  unsigned names_ = 0;
};

/// Defines a check that is needless if a range check has succeeded. Its condition is constant in a
/// loop, so that optimisers can make two loops of one.
string checkUnless() {
  return string("define internal void @copse.checkUnless(ptr %address, i64 %bytes, i32 %flags, ptr "
                "%site, i1 %isGood) alwaysinline nounwind memory(inaccessiblemem: readwrite, "
                "argmem: none) {\n  br i1 %isGood, label %end, label %check\ncheck:\n  %function = "
                "load ptr, ptr @") +
         wire::kCheckAccessSymbol +
         ", align 8\n  call void %function(ptr %address, i64 %bytes, i32 %flags, ptr %site) "
         "nounwind memory(inaccessiblemem: readwrite)\n  br label %end\nend:\n  ret void\n}\n@" +
         wire::kCheckRangeSymbol + " = weak global ptr null, align 8\n";
}

bool isToBeChecked(const Function &function) {
  return !function.name.starts_with("@copse.") &&
         function.header.find("__builtin_ipu_") == string_view::npos;
}

} // namespace

string withAccessChecks(const string &module, string_view headers) {
  const SourceLines lines(module, headers);
  const std::vector<Function> functions = functionsIn(module);
  std::map<std::size_t, string> insertions;
  string sites;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    if (!isToBeChecked(functions[f]))
      continue;
    FunctionChecks checks(functions[f], f, lines);
    checks.addTo(insertions);
    sites += checks.sites();
  }
  string text;
  text.reserve(module.size() + module.size() / 2);
  std::size_t from = 0;
  for (const auto &[at, more] : insertions) {
    text.append(module, from, at - from).append(more);
    from = at;
  }
  return text.append(module, from).append(sites) + checkUnless() + "@" + wire::kCheckedCodeSymbol +
         " = weak constant i8 1\n";
}

} // namespace copse::popc
