#include "llvm_loops.hpp"

#include "llvm_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace copse::popc::llvm_text {
namespace {

using std::size_t;
using std::string_view;

constexpr size_t kNone = static_cast<size_t>(-1);
constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

std::vector<std::vector<size_t>> predecessorsOf(const Function &function) {
  std::vector<std::vector<size_t>> predecessors(function.blocks.size());
  for (size_t b = 0; b < function.blocks.size(); ++b)
    for (const size_t next : function.blocks[b].successors)
      predecessors[next].push_back(b);
  return predecessors;
}

/// Returns the blocks in reverse postorder: each before its successors, except in loops.
std::vector<size_t> orderOf(const Function &function) {
  std::vector<size_t> order;
  std::vector<char> seen(function.blocks.size(), 0);
  std::vector<std::pair<size_t, size_t>> stack{{0, 0}};
  seen[0] = 1;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    const auto &successors = function.blocks[block].successors;
    if (next == successors.size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    const size_t to = successors[next++];
    if (seen[to] == 0) {
      seen[to] = 1;
      stack.emplace_back(to, 0);
    }
  }
  std::ranges::reverse(order);
  return order;
}

/// Returns the immediate dominator of each block. Source: Cooper, Harvey, Kennedy, "A Simple, Fast
/// Dominance Algorithm".
std::vector<size_t> dominatorsOf(const Function &function) {
  const auto order = orderOf(function);
  const auto predecessors = predecessorsOf(function);
  std::vector<size_t> number(function.blocks.size(), kNone), dominator = number;
  for (size_t i = 0; i < order.size(); ++i)
    number[order[i]] = i;
  dominator[0] = 0;
  const auto common = [&](size_t a, size_t b) {
    while (a != b) {
      while (number[a] > number[b])
        a = dominator[a];
      while (number[b] > number[a])
        b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 1; i < order.size(); ++i) {
      size_t best = kNone;
      for (const size_t from : predecessors[order[i]])
        if (dominator[from] != kNone)
          best = best == kNone ? from : common(from, best);
      changed |= dominator[order[i]] != best;
      dominator[order[i]] = best;
    }
  }
  return dominator;
}

bool dominates(const std::vector<size_t> &dominator, size_t a, size_t b) {
  while (b != a && b != 0 && dominator[b] != kNone)
    b = dominator[b];
  return a == b;
}

bool isNumber(string_view word) {
  return !word.empty() && (word.front() == '-' || (word.front() >= '0' && word.front() <= '9'));
}

std::int64_t numberOf(string_view word) {
  std::int64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

/// Returns a phi's values, each with the label of its predecessor, without '%'.
std::vector<std::pair<string_view, string_view>> incomingOf(const Instruction &phi) {
  std::vector<std::pair<string_view, string_view>> incoming;
  string_view text = phi.rest;
  text.remove_prefix(std::min(text.size(), typeEndIn(text) + 1));
  for (const string_view pair : listIn(text)) {
    if (!pair.starts_with('['))
      continue;
    const auto words = listIn(pair.substr(1, pair.rfind(']') - 1));
    if (words.size() == 2 && words[1].starts_with('%'))
      incoming.emplace_back(words[0], words[1].substr(1));
  }
  return incoming;
}

/// Returns the operands of an instruction whose type precedes the first one: "i32 %1, %2".
std::vector<string_view> operandsOf(const Instruction &instruction) {
  auto operands = listIn(instruction.rest);
  if (!operands.empty())
    operands.front() = lastWord(operands.front());
  return operands;
}

bool isPowerOfTwo(std::int64_t n) {
  const auto size = static_cast<std::uint64_t>(n < 0 ? -n : n);
  return size != 0 && (size & (size - 1)) == 0;
}

} // namespace

Loops::Loops(const Function &function)
    : function_(function), innermost_(function.blocks.size(), kNone) {
  findLoops();
  for (size_t i = 0; i < loops_.size(); ++i) {
    for (size_t b = 0; b < function_.blocks.size(); ++b)
      if (loops_[i].contains[b] &&
          (innermost_[b] == kNone || loops_[i].blocks < loops_[innermost_[b]].blocks))
        innermost_[b] = i;
    for (const Loop &other : loops_)
      loops_[i].isInnermost &= &other == &loops_[i] || !loops_[i].contains[other.header];
  }
  for (Loop &loop : loops_) {
    findInductions(loop);
    findCount(loop);
  }
}

void Loops::findLoops() {
  const auto dominator = dominatorsOf(function_);
  const auto predecessors = predecessorsOf(function_);
  for (size_t from = 0; from < function_.blocks.size(); ++from)
    for (const size_t header : function_.blocks[from].successors) {
      if (dominator[from] == kNone || !dominates(dominator, header, from))
        continue;
      auto loop = std::ranges::find(loops_, header, &Loop::header);
      if (loop == loops_.end()) {
        loops_.emplace_back();
        loop = loops_.end() - 1;
        loop->header = header;
        loop->contains.assign(function_.blocks.size(), false);
        loop->contains[header] = true;
      }
      loop->latches.push_back(from);
      std::vector<size_t> open{from};
      while (!open.empty()) {
        const size_t block = open.back();
        open.pop_back();
        if (loop->contains[block])
          continue;
        loop->contains[block] = true;
        open.insert(open.end(), predecessors[block].begin(), predecessors[block].end());
      }
    }
  for (Loop &loop : loops_)
    for (size_t b = 0; b < function_.blocks.size(); ++b) {
      if (!loop.contains[b])
        continue;
      ++loop.blocks;
      if (std::ranges::any_of(function_.blocks[b].successors,
                              [&](size_t next) { return !loop.contains[next]; }))
        loop.exits.push_back(b);
    }
}

const Loop *Loops::around(size_t block) const {
  return innermost_[block] == kNone ? nullptr : &loops_[innermost_[block]];
}

bool Loops::isInvariant(string_view value, const Loop &loop) const {
  const auto definition = function_.definitionOf(value);
  return !definition || !loop.contains[function_.blockOf(*definition)];
}

bool Loops::isStepped(string_view value, const Loop &loop) const {
  if (isInvariant(value, loop) ||
      std::ranges::find(loop.inductions, value) != loop.inductions.end())
    return true;
  static constexpr std::array<string_view, 9> kLinear{
      "add", "sub", "mul", "shl", "zext", "sext", "trunc", "getelementptr", "or"};
  const Instruction &instruction = function_.instructions[*function_.definitionOf(value)];
  return std::ranges::find(kLinear, instruction.opcode) != kLinear.end() &&
         std::ranges::all_of(instruction.values,
                             [&](string_view operand) { return isStepped(operand, loop); });
}

void Loops::findInductions(Loop &loop) const {
  if (loop.latches.size() != 1)
    return;
  const string_view latch = function_.blocks[loop.latches.front()].label;
  const Block &header = function_.blocks[loop.header];
  for (size_t i = header.first; i < header.first + header.count; ++i) {
    const Instruction &phi = function_.instructions[i];
    if (phi.opcode != "phi")
      break;
    for (const auto &[value, from] : incomingOf(phi)) {
      const auto next = function_.definitionOf(value);
      if (from != latch || !next || !loop.contains[function_.blockOf(*next)])
        continue;
      const Instruction &step = function_.instructions[*next];
      const bool adds =
          step.opcode == "add" || step.opcode == "sub" || step.opcode == "getelementptr";
      const bool ofItself = std::ranges::find(step.values, phi.result) != step.values.end();
      const bool byTheSame = std::ranges::all_of(step.values, [&](string_view operand) {
        return operand == phi.result || isInvariant(operand, loop);
      });
      if (adds && ofItself && byTheSame) {
        loop.inductions.push_back(phi.result);
        loop.inductions.push_back(value);
        loop.increments.push_back(*next);
      }
    }
  }
}

/// Finds the number of turns. A tile counts a loop down if it has one exit, which compares a value
/// that grows by a power of two with an invariant. Any other loop would need a division to know its
/// count.
void Loops::findCount(Loop &loop) const {
  if (loop.exits.size() != 1 || loop.latches.size() != 1)
    return;
  const size_t exit = loop.exits.front();
  if (exit != loop.header && exit != loop.latches.front())
    return;
  const Block &block = function_.blocks[exit];
  const Instruction &branch = function_.instructions[block.first + block.count - 1];
  if (branch.opcode != "br" || branch.values.size() != 1)
    return;
  const auto compare = function_.definitionOf(branch.values.front());
  if (!compare || function_.instructions[*compare].opcode != "icmp" ||
      !loop.contains[function_.blockOf(*compare)])
    return;
  const auto operands = listIn(function_.instructions[*compare].rest);
  if (operands.size() < 2)
    return;
  const string_view a = lastWord(operands[0]), b = lastWord(operands[1]);
  const auto isInduction = [&](string_view word) {
    return std::ranges::find(loop.inductions, word) != loop.inductions.end();
  };
  const string_view counter = isInduction(a) ? a : b, bound = isInduction(a) ? b : a;
  if (!isInduction(counter) || (!isNumber(bound) && !isInvariant(bound, loop)))
    return;
  for (const size_t increment : loop.increments) {
    const Instruction &step = function_.instructions[increment];
    const auto phi = std::ranges::find(step.values, counter);
    if (step.result != counter && phi == step.values.end())
      continue;
    const auto words = operandsOf(step);
    const bool isByOne =
        step.opcode == "getelementptr" ||
        (words.size() == 2 && isNumber(words[1]) && isPowerOfTwo(numberOf(words[1])));
    if (!isByOne)
      return;
    loop.countedBy = *compare;
    loop.leavingBlock = exit;
    loop.atMost = isNumber(bound)
                      ? static_cast<std::uint64_t>(std::max<std::int64_t>(0, numberOf(bound)))
                      : largest(bound);
    if (words.size() == 2 && numberOf(words[1]) < 0)
      loop.atMost = kUnknown; // counts down from an unknown value
    return;
  }
}

/// Returns the largest value that a number can have according to the text, without a sign.
std::uint64_t Loops::largest(string_view value, unsigned depth) const {
  const auto definition = function_.definitionOf(value);
  if (!definition || depth > 8)
    return kUnknown;
  const Instruction &instruction = function_.instructions[*definition];
  const auto operands = operandsOf(instruction);
  const auto ofFirst = [&] {
    return isNumber(operands[0]) ? static_cast<std::uint64_t>(numberOf(operands[0]))
                                 : largest(operands[0], depth + 1);
  };
  if (instruction.opcode == "zext") {
    const unsigned bits = bitsOf(instruction.rest.substr(0, instruction.rest.find(' ')));
    const auto word =
        instruction.values.empty() ? kUnknown : largest(instruction.values.front(), depth + 1);
    return bits == 0 || bits > 63 ? word : std::min(word, (std::uint64_t{1} << bits) - 1);
  }
  if (operands.size() == 2 && instruction.opcode == "and" && isNumber(operands[1]) &&
      numberOf(operands[1]) >= 0)
    return std::min(static_cast<std::uint64_t>(numberOf(operands[1])), ofFirst());
  if (operands.size() >= 2 && instruction.opcode == "lshr" && isNumber(operands[1])) {
    const unsigned bits = bitsOf(instruction.rest.substr(0, instruction.rest.find(' ')));
    const auto whole = bits == 0 || bits > 63 ? kUnknown : (std::uint64_t{1} << bits) - 1;
    return std::min(ofFirst(), whole) >> numberOf(operands[1]);
  }
  return kUnknown;
}

} // namespace copse::popc::llvm_text
