#include "cycle_counting.hpp"

#include "llvm_text.hpp"
#include "worker_schedule.hpp"

#include "popc/arch.hpp"
#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace copse::popc {
namespace {

using namespace llvm_text;
using std::string;
using std::string_view;

/// Returns the largest count of `rpt`. Source: the vendor's ISA document; for Mk1: the mask of
/// $REPEAT_COUNT.
unsigned repeatLimitOf(Architecture arch) { return arch == Architecture::Ipu1 ? 0xFFF : 0xFFFF; }

/// Collects text to be inserted into a module, ordered by place.
class Insertions {
public:
  void add(std::size_t at, const string &text) { texts_[at] += text; }
  string into(string_view module) const {
    string all;
    all.reserve(module.size() + module.size() / 4);
    std::size_t from = 0;
    for (const auto &[at, text] : texts_) {
      all += module.substr(from, at - from);
      all += text;
      from = at;
    }
    all += module.substr(from);
    return all;
  }

private:
  std::map<std::size_t, string> texts_;
};

bool holds(const std::vector<std::size_t> &list, std::size_t number) {
  return std::ranges::find(list, number) != list.end();
}

/// Returns true if an address of \p access grows by a constant amount in every turn of \p loop.
bool isStepped(const Function &function, const Instruction &access, const Loop &loop) {
  if (access.values.empty())
    return false;
  const auto growsBySame = [&](string_view value) {
    const auto found = std::ranges::find(loop.inductions, value);
    if (found == loop.inductions.end())
      return false;
    const auto number = static_cast<std::size_t>(found - loop.inductions.begin()) / 2;
    const string_view by =
        lastWord(listIn(function.instructions[loop.increments[number]].rest).back());
    return by != "0" && by.find_first_not_of("-0123456789") == string_view::npos;
  };
  const string_view pointer = access.values.back();
  const auto address = function.definitionOf(pointer);
  if (growsBySame(pointer) || !address)
    return growsBySame(pointer);
  const Instruction &element = function.instructions[*address];
  return element.opcode == "getelementptr" && !element.values.empty() &&
         growsBySame(element.values.back());
}

/// Returns true if 32 bits suffice for the count of a loop. This is so if each turn accesses an
/// address that moves on, because memory of a tile, or of a thread's stack, ends after 2^23 bytes.
/// With counts of 64 bits, vectors would have half as many elements.
bool isShort(const Function &function, const Loop &loop) {
  if (!loop.isInnermost || loop.blocks < 2 || loop.latches.size() != 1 || loop.exits.size() != 1)
    return false;
  bool steps = false;
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    if (!loop.contains[b])
      continue;
    const Block &block = function.blocks[b];
    for (std::size_t i = block.first; i < block.first + block.count; ++i) {
      const Instruction &instruction = function.instructions[i];
      if (instruction.opcode == "call" && !calleeIn(instruction.rest).starts_with("@llvm.f"))
        return false;
      const bool isAccess = instruction.opcode == "load" || instruction.opcode == "store";
      steps |= b == loop.header && isAccess && isStepped(function, instruction, loop);
    }
  }
  return steps;
}

/// Inserts the counting code of one function.
///
/// Each level of loops has a variable of its own, which is added to the variable of the enclosing
/// level at the end of each turn. So a turn has one addition, whose operand is constant if the turn
/// has no branches. Optimisers turn this addition into a product outside of the loop, or vectorise
/// it.
class FunctionCounter {
public:
  FunctionCounter(const Function &function, unsigned repeatLimit, Insertions &insertions)
      : function_(function), loops_(function), costs_(function, loops_, repeatLimit),
        insertions_(insertions) {}

  /// \returns true if there is something to count
  bool count() {
    for (const Loop &loop : loops_.all())
      if (isShort(function_, loop))
        addShort(loop);
    bool counts = false;
    for (std::size_t block = 0; block < function_.blocks.size(); ++block)
      counts |= countBlock(block);
    if (!counts)
      return false;
    string variables;
    for (const char *const name : {kShortTurn, kShortLoop})
      if (!short_.empty())
        variables += string("  ") + name + " = alloca i32, align 4\n  store i32 0, ptr " + name +
                     ", align 4\n";
    for (unsigned level = 0; level <= levels_; ++level)
      variables += "  " + variable(level) + " = alloca i64, align 8\n" + setToZero(level);
    insertions_.add(function_.instructions.front().begin, variables + atBegin_);
    for (const auto &[at, text] : later_)
      insertions_.add(at, text);
    return true;
  }

private:
  static constexpr std::uint64_t kMostShortCycles = 256; ///< longest turn of a short loop
  static constexpr const char *kShortTurn = "%copse.short.turn", *kShortLoop = "%copse.short.loop";

  string name(const char *word) { return string("%copse.") + word + std::to_string(names_++); }

  /// Counts a short loop in variables of 32 bits, and adds their sum to the enclosing level where
  /// it ends.
  void addShort(const Loop &loop) {
    const Block &last = function_.blocks[loop.exits.front()];
    const auto outside = std::ranges::find_if(
        last.successors, [&](std::size_t next) { return !loop.contains[next]; });
    std::uint64_t cycles = 0;
    for (std::size_t b = 0; b < function_.blocks.size(); ++b)
      cycles += loop.contains[b] ? cyclesOf(function_, b, costs_).back() : 0;
    const unsigned around = levelOf(*outside);
    if (cycles > kMostShortCycles || around + 1 != levelOf(loop.header))
      return;
    short_.push_back(&loop);
    const Block &next = function_.blocks[*outside];
    std::size_t at = next.first;
    while (function_.instructions[at].opcode == "phi")
      ++at;
    const string counted = name("counted"), wide = name("wide");
    insert(function_.instructions[at].begin,
           "  " + counted + " = load i32, ptr " + kShortLoop + ", align 4\n  " + wide +
               " = zext i32 " + counted + " to i64\n" + addition(around, wide) +
               "  store i32 0, ptr " + kShortLoop + ", align 4\n");
  }
  const Loop *shortAround(std::size_t block) const {
    const Loop *const loop = loops_.around(block);
    return std::ranges::find(short_, loop) == short_.end() ? nullptr : loop;
  }

  static string variable(unsigned level) { return "%copse.count." + std::to_string(level); }
  static string setToZero(unsigned level) {
    return "  store i64 0, ptr " + variable(level) + ", align 8\n";
  }

  void insert(std::size_t at, const string &text) {
    // The count of the first block must follow the variables.
    if (at == function_.instructions.front().begin)
      atBegin_ += text;
    else
      later_.emplace_back(at, text);
  }

  unsigned levelOf(std::size_t block) const {
    return static_cast<unsigned>(std::ranges::count_if(
        loops_.all(), [&](const Loop &loop) { return loop.contains[block]; }));
  }

  string addition(unsigned level, const string &amount) {
    return additionTo(variable(level), "i64", amount);
  }
  string additionTo(const string &variable, const string &type, const string &amount) {
    const string before = name("before"), after = name("after");
    return "  " + before + " = load " + type + ", ptr " + variable + "\n  " + after + " = add " +
           type + " " + before + ", " + amount + "\n  store " + type + " " + after + ", ptr " +
           variable + "\n";
  }

  /// Adds the count of a level to the enclosing level.
  string passedOn(unsigned level) {
    const string counted = name("counted");
    return "  " + counted + " = load i64, ptr " + variable(level) + ", align 8\n" +
           addition(level - 1, counted) + setToZero(level);
  }

  /// Adds the function's count to the thread's.
  string handOver() {
    const string offset = name("offset"), thread = name("thread"), place = name("place"),
                 old = name("old"), own = name("own"), sum = name("sum");
    return "  " + offset + " = load i64, ptr @" + wire::kCycleOffsetSymbol + ", align 8\n  " +
           thread + " = call ptr @llvm.thread.pointer()\n  " + place + " = getelementptr i8, ptr " +
           thread + ", i64 " + offset + "\n  " + old + " = load i64, ptr " + place +
           ", align 8\n  " + own + " = load i64, ptr " + variable(0) + ", align 8\n  " + sum +
           " = add i64 " + old + ", " + own + "\n  store i64 " + sum + ", ptr " + place +
           ", align 8\n";
  }

  /// Adds the counts of all levels to the thread's in the middle of the function.
  string handOverFrom(unsigned level) {
    string text;
    for (; level > 0; --level)
      text += passedOn(level);
    return text + handOver() + setToZero(0);
  }

  /// Returns true if the called function may read the thread's count: by registers that count
  /// cycles, or in code that may read these.
  bool mayLook(const Instruction &call) const {
    const string_view callee = calleeIn(call.rest);
    if (callee.starts_with('%')) {
      const auto pointer = function_.definitionOf(callee);
      const string_view from = pointer ? function_.instructions[*pointer].rest : string_view{};
      return from.find("@__copse") == string_view::npos ||
             from.find(string("@") + wire::kReadRegisterSymbol) != string_view::npos ||
             from.find(string("@") + wire::kAssemblySymbol) != string_view::npos ||
             from.find(string("@") + wire::kTileFunctionSymbol) != string_view::npos;
    }
    return callee.find("__builtin_ipu_get") != string_view::npos ||
           callee.find("__builtin_ipu_uget") != string_view::npos;
  }

  bool countBlock(std::size_t number) {
    const Block &block = function_.blocks[number];
    if (block.count == 0)
      return false;
    const std::vector<std::uint64_t> cycles = cyclesOf(function_, number, costs_);
    const unsigned level = levelOf(number);
    levels_ = std::max(levels_, level);
    std::uint64_t counted = 0; // cycles that are already in the text
    const auto countUpTo = [&](std::size_t instruction) -> string {
      const std::uint64_t more = cycles[instruction] - counted;
      counted = cycles[instruction];
      if (more == 0)
        return string();
      return shortAround(number) != nullptr ? additionTo(kShortTurn, "i32", std::to_string(more))
                                            : addition(level, std::to_string(more));
    };
    for (std::size_t i = 0; i < block.count; ++i) {
      const Instruction &instruction = function_.instructions[block.first + i];
      if (const auto perByte = costs_.perByteOf(block.first + i))
        insert(instruction.begin, perByteText(level, *perByte));
      if (instruction.opcode == "call" && mayLook(instruction))
        insert(instruction.begin, countUpTo(i) + handOverFrom(level));
    }
    const string text = countUpTo(block.count) + atEnd(number, level);
    if (!text.empty())
      insert(endOf(block), text);
    return cycles.back() > 0;
  }

  /// Returns the text with which a block passes on its loops' counts where it ends a turn or leaves
  /// the loops.
  string atEnd(std::size_t number, unsigned level) {
    const Instruction &last = lastOf(function_.blocks[number]);
    if (last.opcode == "ret")
      return handOver();
    string text;
    std::vector<const Loop *> around;
    for (const Loop &loop : loops_.all())
      if (loop.contains[number])
        around.push_back(&loop);
    std::ranges::sort(around, {}, &Loop::blocks); // from the innermost outwards
    for (const Loop *loop : around) {
      const bool endsTurn = holds(loop->latches, number) || holds(loop->exits, number);
      if (endsTurn)
        text += loop == shortAround(number) ? endOfShortTurn() : passedOn(level);
      --level;
    }
    return text;
  }
  string endOfShortTurn() {
    const string counted = name("counted");
    return "  " + counted + " = load i32, ptr " + kShortTurn + "\n" +
           additionTo(kShortLoop, "i32", counted) + "  store i32 0, ptr " + kShortTurn + "\n";
  }

  const Instruction &lastOf(const Block &block) const {
    return function_.instructions[block.first + block.count - 1];
  }
  /// Returns the place at a block's end where text may go. A call that must be the last instruction
  /// has to stay directly before its return.
  std::size_t endOf(const Block &block) const {
    const Instruction &last = lastOf(block);
    if (last.opcode != "ret" || block.count < 2)
      return last.begin;
    const Instruction &call = function_.instructions[block.first + block.count - 2];
    return call.opcode == "call" && isMustTail(call) ? call.begin : last.begin;
  }

  string perByteText(unsigned level, const CostPerByte &cost) {
    const string cycles = name("cycles"), type(cost.type);
    string text = "  " + cycles + " = lshr " + type + " " + string(cost.bytes) + ", " +
                  std::to_string(cost.shift) + "\n";
    if (type == "i64")
      return text + addition(level, cycles);
    const string wide = name("wide");
    return text + "  " + wide + " = zext " + type + " " + cycles + " to i64\n" +
           addition(level, wide);
  }

  static bool isMustTail(const Instruction &call) {
    return call.text.find("musttail call ") != string_view::npos;
  }

  const Function &function_;
  Loops loops_;
  WorkerCosts costs_;
  Insertions &insertions_;
  string atBegin_;
  std::vector<std::pair<std::size_t, string>> later_;
  std::vector<const Loop *> short_; ///< loops with counts of 32 bits
  unsigned levels_ = 0, names_ = 0;
};

/// Removes from an attribute group what it says about memory access, because a counting function
/// also writes the count.
string withoutMemory(string_view attributes) {
  string text(attributes);
  const auto erase = [&](string_view word, bool withParentheses) {
    for (std::size_t at = text.find(word); at != string::npos; at = text.find(word, at)) {
      const std::size_t end = withParentheses ? text.find(')', at) + 1 : at + word.size();
      text.erase(at, end - at);
    }
  };
  erase("memory(", true);
  for (const string_view word :
       {" readnone", " readonly", " writeonly", " speculatable", " nosync"})
    erase(word, false);
  return text;
}

/// A reference to a group, such as "#4" at the end of a header or behind a call.
struct GroupReference {
  std::size_t at = string_view::npos, size = 0;
};
GroupReference groupIn(string_view line) {
  for (std::size_t at = line.find(" #"); at != string_view::npos; at = line.find(" #", at + 1)) {
    std::size_t end = at + 2;
    while (end < line.size() && line[end] >= '0' && line[end] <= '9')
      ++end;
    if (end > at + 2)
      return {at + 1, end - at - 1};
  }
  return {};
}

/// Changed copies of the module's groups of attributes.
class ChangedGroups {
public:
  using Change = string (*)(string_view attributes);

  ChangedGroups(string_view module, string_view prefix, Change change)
      : prefix_(prefix), change_(change) {
    constexpr string_view kBegin = "\nattributes ";
    for (std::size_t at = module.find(kBegin); at != string_view::npos;
         at = module.find(kBegin, at + 1)) {
      const std::size_t end = std::min(module.find('\n', at + 1), module.size());
      const string_view line = module.substr(at, end - at);
      const std::size_t equals = line.find(" = ");
      groups_.emplace(line.substr(kBegin.size(), equals - kBegin.size()), line.substr(equals));
    }
  }

  /// Returns \p line with its group replaced by the changed one.
  string in(string_view line) {
    const GroupReference group = groupIn(line);
    const auto found = group.at == string_view::npos
                           ? groups_.end()
                           : groups_.find(line.substr(group.at, group.size));
    if (found == groups_.end())
      return string(line);
    const string changed = change_(found->second);
    if (changed == found->second)
      return string(line);
    const string name = "#" + prefix_ + string(found->first.substr(1));
    added_[name] = changed;
    return string(line.substr(0, group.at)) + name + string(line.substr(group.at + group.size));
  }
  string text() const {
    string all;
    for (const auto &[name, attributes] : added_)
      all += "attributes " + name + attributes + "\n";
    return all;
  }

private:
  string prefix_;
  Change change_;
  std::map<string_view, string_view> groups_;
  std::map<string, string> added_;
};

/// Applies \p change to each line of \p module.
template <class Change> string withLines(const string &module, Change change) {
  string all;
  all.reserve(module.size() + module.size() / 8);
  for (std::size_t at = 0; at < module.size();) {
    const std::size_t end = std::min(module.find('\n', at), module.size());
    all += change(string_view(module).substr(at, end - at));
    all += '\n';
    at = end + 1;
  }
  return all;
}

bool isCounted(const Function &function) {
  return !isBuiltin(function.name) && !function.name.starts_with("@copse.");
}

/// Gives calls and headers of counting functions groups that permit counting.
string withPlainGroups(const string &module, const std::vector<string> &counted) {
  ChangedGroups groups(module, "91", withoutMemory);
  const string text = withLines(module, [&](string_view line) {
    const bool isHeader = line.starts_with("define ") || line.starts_with("declare ");
    const std::size_t call = line.starts_with("  ") ? line.find("call ") : string_view::npos;
    if (!isHeader && call == string_view::npos)
      return string(line);
    const string_view name = calleeIn(isHeader ? line : line.substr(call));
    const bool mayCount = std::ranges::binary_search(counted, name) ||
                          (!isHeader && name.starts_with('%') && !name.starts_with("%copse."));
    return mayCount ? groups.in(line) : string(line);
  });
  return text + groups.text();
}

} // namespace

bool isHeaderOfBuiltin(string_view line) {
  return line.starts_with("define ") && line.find("__builtin_ipu_") != string_view::npos &&
         isBuiltin(calleeIn(line));
}

string withCycleCounting(const string &module, Architecture arch) {
  Insertions insertions;
  std::vector<string> counted;
  for (const Function &function : functionsIn(module))
    if (isCounted(function) && !function.instructions.empty() &&
        FunctionCounter(function, repeatLimitOf(arch), insertions).count())
      counted.emplace_back(function.name);
  std::ranges::sort(counted);
  constexpr string_view kThread = "declare ptr @llvm.thread.pointer()";
  string text = withPlainGroups(insertions.into(module), counted);
  if (text.find(kThread) == string::npos)
    text += string(kThread) + "\n";
  return text;
}

} // namespace copse::popc
