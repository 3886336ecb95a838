#include "llvm_function.hpp"

#include "llvm_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace copse::popc::llvm_text {
namespace {

using std::string_view;

template <class Use> void eachName(string_view text, char sigil, Use use) {
  for (std::size_t at = text.find(sigil); at != string_view::npos; at = text.find(sigil, at)) {
    const string_view name = nameAt(text.substr(at));
    use(name);
    at += name.size();
  }
}

/// Words around an opcode that do not change the cost.
constexpr std::array<string_view, 25> kFlags{
    "nuw",      "nsw",     "exact",   "nnan",    "ninf",     "nsz",      "arcp",
    "contract", "afn",     "fast",    "reassoc", "volatile", "inbounds", "disjoint",
    "nneg",     "atomic",  "fastcc",  "coldcc",  "ccc",      "tail",     "musttail",
    "notail",   "noundef", "zeroext", "signext"};

/// Removes flags from the front of \p text.
string_view withoutFlags(string_view text) {
  while (true) {
    const std::size_t blank = text.find(' ');
    if (blank == string_view::npos ||
        std::ranges::find(kFlags, text.substr(0, blank)) == kFlags.end())
      return text;
    text.remove_prefix(blank + 1);
  }
}

Instruction instructionIn(string_view line) {
  Instruction instruction;
  instruction.text = line;
  string_view text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  if (text.starts_with('%')) {
    instruction.result = nameAt(text);
    text.remove_prefix(instruction.result.size());
    if (text.starts_with(" = "))
      text.remove_prefix(3);
  }
  text = withoutFlags(text);
  instruction.opcode = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), instruction.opcode.size() + 1));
  // The last operand is !dbg.
  instruction.rest = withoutFlags(text.substr(0, text.find(", !dbg ")));
  return instruction;
}

/// Reads one function, line by line.
class Reader {
public:
  Reader(string_view module, std::size_t begin, string_view header) : module_(module) {
    function_.header = header;
    function_.name = nameAt(header.substr(header.find('@')));
    at_ = begin;
  }

  /// \param at  is moved behind the function
  Function read(std::size_t &at) {
    function_.blocks.emplace_back();
    while (at_ < module_.size() && take(lineAt(at_)))
      ;
    at = at_;
    finish();
    return std::move(function_);
  }

private:
  string_view lineAt(std::size_t begin) const {
    return module_.substr(begin, std::min(module_.find('\n', begin), module_.size()) - begin);
  }

  /// \returns false at the end of the function
  bool take(string_view line) {
    const std::size_t begin = at_;
    at_ += line.size() + 1;
    if (line.starts_with('}'))
      return false;
    if (line.empty() || line.find_first_not_of(' ') == string_view::npos || line.front() == ';')
      return true;
    if (line.front() != ' ') {
      label(line);
      return true;
    }
    // A switch lists its cases, and a landing pad its clauses, on separate lines.
    if (line.ends_with('[')) {
      const std::size_t close = module_.find("\n  ]", begin);
      at_ = module_.find('\n', close + 1) + 1;
      line = module_.substr(begin, at_ - 1 - begin);
    }
    if (line.find("call void @llvm.dbg.") != string_view::npos)
      return true;
    Instruction instruction = instructionIn(line);
    instruction.begin = begin;
    function_.instructions.push_back(std::move(instruction));
    function_.blockOf_.push_back(function_.blocks.size() - 1);
    ++function_.blocks.back().count;
    return true;
  }

  void label(string_view line) {
    Block block;
    block.label = line.front() == '"' ? line.substr(0, line.find('"', 1) + 1)
                                      : line.substr(0, line.find(':'));
    block.first = function_.instructions.size();
    if (function_.instructions.empty()) {
      function_.blocks.back() = block; // the first block has a name, too
      return;
    }
    function_.blocks.push_back(block);
  }

  void finish() {
    for (std::size_t i = 0; i < function_.instructions.size(); ++i)
      if (!function_.instructions[i].result.empty())
        function_.definitions.emplace(function_.instructions[i].result, i);
    // Arguments are values without a definition.
    std::unordered_map<string_view, bool> arguments;
    eachName(function_.header, '%', [&](string_view name) { arguments.emplace(name, true); });
    for (Instruction &instruction : function_.instructions)
      eachName(instruction.rest, '%', [&](string_view name) {
        if (function_.definitions.contains(name) || arguments.contains(name))
          instruction.values.push_back(name);
      });
    std::unordered_map<string_view, std::size_t> labels;
    for (std::size_t b = 0; b < function_.blocks.size(); ++b)
      labels.emplace(function_.blocks[b].label, b);
    for (Block &block : function_.blocks) {
      if (block.count == 0)
        continue;
      const string_view end = function_.instructions[block.first + block.count - 1].rest;
      for (std::size_t at = end.find("label %"); at != string_view::npos;
           at = end.find("label %", at + 1)) {
        const auto found = labels.find(nameAt(end.substr(at + 6)).substr(1));
        if (found != labels.end())
          block.successors.push_back(found->second);
      }
    }
  }

  string_view module_;
  std::size_t at_ = 0;
  Function function_;
};

/// Returns 12 for "12 x float", and the text behind the 'x'.
unsigned countIn(string_view text, string_view &behind) {
  unsigned count = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), count);
  const auto length = static_cast<std::size_t>(result.ptr - text.data());
  behind = text.substr(std::min(text.size(), length + 3));
  return count;
}

} // namespace

std::optional<std::size_t> Function::definitionOf(string_view value) const {
  const auto found = definitions.find(value);
  return found == definitions.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Function> functionsIn(string_view module) {
  std::vector<Function> functions;
  for (std::size_t at = 0; at < module.size();) {
    const std::size_t end = std::min(module.find('\n', at), module.size());
    const string_view line = module.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("define "))
      functions.push_back(Reader(module, at, line).read(at));
  }
  return functions;
}

string_view elementOf(string_view type) {
  if (!type.starts_with('<') || !type.ends_with('>'))
    return type;
  string_view behind;
  countIn(type.substr(1, type.size() - 2), behind);
  return behind;
}

unsigned elementsOf(string_view type) {
  string_view behind;
  return type.starts_with('<') && type.ends_with('>')
             ? std::max(1u, countIn(type.substr(1, type.size() - 2), behind))
             : 1;
}

unsigned bitsOf(string_view type) {
  if (type.starts_with('<') && type.ends_with('>'))
    return elementsOf(type) * bitsOf(elementOf(type));
  if (type == "half" || type == "bfloat")
    return 16;
  if (type == "float" || type == "ptr")
    return 32;
  if (type == "double")
    return 64;
  unsigned bits = 0;
  if (type.starts_with('i'))
    std::from_chars(type.data() + 1, type.data() + type.size(), bits);
  return bits;
}

string_view calleeIn(string_view rest) {
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] != '@' && rest[i] != '%')
      continue;
    const string_view name = nameAt(rest.substr(i));
    i += name.size() - 1;
    if (i + 1 < rest.size() && rest[i + 1] == '(')
      return name;
  }
  return {};
}

std::vector<string_view> argumentsIn(string_view rest) {
  const string_view callee = calleeIn(rest);
  if (callee.empty())
    return {};
  const string_view behind =
      rest.substr(static_cast<std::size_t>(callee.data() + callee.size() - rest.data()));
  if (!behind.starts_with('('))
    return {};
  int depth = 0;
  for (std::size_t i = 0; i < behind.size(); ++i) {
    depth += behind[i] == '(' ? 1 : behind[i] == ')' ? -1 : 0;
    if (depth == 0)
      return listIn(behind.substr(1, i - 1));
  }
  return {};
}

string_view lastWord(string_view operand) {
  const std::size_t blank = operand.rfind(' ');
  return blank == string_view::npos ? operand : operand.substr(blank + 1);
}

} // namespace copse::popc::llvm_text
