#include "range_checks.hpp"

#include "llvm_text.hpp"

#include "wire/checked_code.hpp"
#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <array>

namespace copse::popc {
namespace {

using namespace llvm_text;
using std::size_t;
using std::string;
using std::string_view;

bool isDecimal(string_view word) {
  return !word.empty() && word.find_first_not_of("-0123456789") == string_view::npos;
}

/// Returns the values of a phi "i64 [ 0, %before ], [ %next, %body ]", by the blocks that they come
/// from.
std::map<string_view, string_view> sourcesOf(const Instruction &phi) {
  std::map<string_view, string_view> sources;
  for (const string_view pair : listIn(phi.rest.substr(std::min(phi.rest.size(), size_t{4})))) {
    const auto words = pair.starts_with('[') ? listIn(pair.substr(1, pair.rfind(']') - 1))
                                             : std::vector<string_view>{};
    if (words.size() == 2 && words[1].starts_with('%'))
      sources[words[1].substr(1)] = words[0];
  }
  return sources;
}

/// Returns \p text with \p name replaced wherever it is a whole name.
string withName(string_view text, string_view name, const string &by) {
  string result;
  for (size_t at = 0; at < text.size();) {
    const size_t found = std::min(text.find(name, at), text.size());
    result += text.substr(at, found - at);
    const size_t end = found + name.size();
    if (found < text.size()) {
      const bool isWhole = end >= text.size() || !isPartOfName(text[end]);
      result += isWhole ? string_view(by) : name;
    }
    at = end;
  }
  return result;
}

} // namespace

RangeChecks::RangeChecks(const Function &function) : function_(function), loops_(function) {
  for (size_t i = 0; i < loops_.all().size(); ++i)
    if (auto counted = countedLoop(loops_.all()[i], i))
      counted_.emplace(counted->body, std::move(*counted));
}

/// Returns the only block that enters the loop, if it leads nowhere else.
std::optional<size_t> RangeChecks::entryOf(const Loop &loop) const {
  std::optional<size_t> entry;
  for (size_t b = 0; b < function_.blocks.size(); ++b) {
    const Block &block = function_.blocks[b];
    if (loop.contains[b] ||
        std::ranges::find(block.successors, loop.header) == block.successors.end())
      continue;
    if (entry || block.successors.size() != 1)
      return std::nullopt;
    entry = block.first + block.count - 1;
  }
  return entry && function_.instructions[*entry].opcode == "br" ? entry : std::nullopt;
}

std::optional<RangeChecks::Counted> RangeChecks::countedLoop(const Loop &loop,
                                                             size_t number) const {
  const auto entry = entryOf(loop);
  if (!loop.countedBy || !loop.isInnermost || loop.blocks > 2 || loop.latches.size() != 1 || !entry)
    return std::nullopt;
  const size_t body = loop.latches.front();
  const bool comparesFirst = loop.leavingBlock != body;
  if (comparesFirst ? loop.leavingBlock != loop.header : loop.blocks != 1)
    return std::nullopt;
  const Instruction &compare = function_.instructions[*loop.countedBy];
  const auto operands = listIn(compare.rest); // "eq i64 %next", "%bound"
  if (operands.size() != 2 || operands[0].find(" i64 ") == string_view::npos)
    return std::nullopt;
  const string_view predicate = operands[0].substr(0, operands[0].find(' '));
  const string_view compared = lastWord(operands[0]), bound = operands[1];
  if (!isDecimal(bound) && !loops_.isInvariant(bound, loop))
    return std::nullopt;
  const auto isGood = comparesFirst ? predicate == "ult" : predicate == "eq" || predicate == "ne";
  for (size_t i = 0; isGood && i < loop.increments.size(); ++i) {
    const string_view counter = loop.inductions[2 * i], next = loop.inductions[2 * i + 1];
    if (compared != (comparesFirst ? counter : next))
      continue;
    const auto by = listIn(function_.instructions[loop.increments[i]].rest);
    if (function_.instructions[loop.increments[i]].opcode != "add" || by.size() != 2 ||
        by[1] != "1" || !by[0].starts_with("i64 "))
      return std::nullopt;
    const auto sources = sourcesOf(function_.instructions[*function_.definitionOf(counter)]);
    const auto start = sources.find(function_.blocks[function_.blockOf(*entry)].label);
    // The first block has a label that only phis use.
    const auto latch = sources.find(function_.blocks[body].label);
    if (sources.size() != 2 || latch == sources.end())
      return std::nullopt;
    const string_view first =
        start != sources.end()
            ? start->second
            : (sources.begin() == latch ? std::next(latch) : sources.begin())->second;
    if (!isDecimal(first) && !loops_.isInvariant(first, loop))
      return std::nullopt;
    Counted counted;
    counted.counter = counter;
    counted.start = first;
    counted.bound = bound;
    counted.body = body;
    counted.entry = *entry;
    counted.loop = &loop;
    counted.name = "%copse.range." + std::to_string(number);
    return counted;
  }
  return std::nullopt;
}

/// Returns \p value as a function of the counter's value \p turn.
/// \param text  gets the instructions that compute it in front of the loop
std::optional<string> RangeChecks::atTurn(string_view value, const string &turn, Counted &loop,
                                          string &text) const {
  if (value == loop.counter)
    return turn;
  if (loops_.isInvariant(value, *loop.loop))
    return string(value);
  const Instruction &from = function_.instructions[*function_.definitionOf(value)];
  static constexpr std::array<string_view, 5> kLinear{"getelementptr", "add", "sub", "mul", "shl"};
  if (std::ranges::find(kLinear, from.opcode) == kLinear.end() || from.values.empty())
    return std::nullopt;
  string rest(from.rest);
  unsigned steps = 0;
  for (const string_view operand : from.values) {
    if (!loops_.isInvariant(operand, *loop.loop))
      ++steps;
    const auto there = atTurn(operand, turn, loop, text);
    if (!there)
      return std::nullopt;
    rest = withName(rest, operand, *there);
  }
  if (steps != 1) // a product of two inductions does not grow by a constant
    return std::nullopt;
  const string name = loop.name + "." + std::to_string(names_++);
  text += "  " + name + " = " + string(from.opcode) + " " + rest + "\n";
  return name;
}

void RangeChecks::loadsByItself(size_t instruction) {
  const size_t block = function_.blockOf(instruction);
  for (auto &[body, loop] : counted_)
    if (loop.loop->contains[block])
      loop.maySeeStores = true;
}

string RangeChecks::guardOf(const Access &access, size_t instruction) {
  const auto found = counted_.find(function_.blockOf(instruction));
  if (found == counted_.end() || !isDecimal(access.bytes))
    return {};
  Counted &loop = found->second;
  if (access.stores && loop.maySeeStores)
    return {};
  const string second = loop.name + ".second";
  string text;
  const auto first = atTurn(access.pointer, loop.start, loop, text);
  const auto next = first ? atTurn(access.pointer, second, loop, text) : std::nullopt;
  if (!next)
    return {};
  const string stride = loop.name + "." + std::to_string(names_++);
  text += "  " + stride + ".0 = ptrtoint ptr " + *first + " to i64\n  " + stride +
          ".1 = ptrtoint ptr " + *next + " to i64\n  " + stride + " = sub i64 " + stride + ".1, " +
          stride + ".0\n";
  loop.text += text;
  loop.arguments.push_back("ptr " + *first + ", i64 " + stride + ", i64 " + access.bytes);
  loop.flags.push_back((access.stores ? wire::kCheckedStore : 0) | access.align);
  return loop.name + ".good";
}

void RangeChecks::addTo(std::map<size_t, string> &insertions) const {
  for (const auto &[body, loop] : counted_) {
    if (loop.arguments.empty())
      continue;
    const string function = loop.name + ".function", turns = loop.name + ".turns";
    string text = "  " + function + " = load ptr, ptr @" + wire::kCheckRangeSymbol +
                  ", align 8\n  " + loop.name + ".second = add i64 " + loop.start + ", 1\n";
    text += "  " + turns + ".all = sub i64 " + loop.bound + ", " + loop.start + "\n  " + loop.name +
            ".any = icmp ugt i64 " + loop.bound + ", " + loop.start + "\n  " + turns +
            " = select i1 " + loop.name + ".any, i64 " + turns + ".all, i64 0\n" + loop.text;
    const auto call = [&](size_t i, const string &count, unsigned more) {
      return "call zeroext i1 " + function + "(" + loop.arguments[i] + ", i64 " + count + ", i32 " +
             std::to_string(loop.flags[i] | more) +
             ") nounwind memory(inaccessiblemem: readwrite)\n";
    };
    string good = "true";
    for (size_t i = 0; i < loop.arguments.size(); ++i) {
      const string one = loop.name + ".good" + std::to_string(i);
      text += "  " + one + " = " + call(i, turns, 0);
      const bool isLast = i + 1 == loop.arguments.size();
      const string all = loop.name + (isLast ? ".good" : ".all" + std::to_string(i));
      text += "  " + all + " = and i1 " + good + ", " + one + "\n";
      good = all;
    }
    text += "  " + turns + ".good = select i1 " + good + ", i64 " + turns + ", i64 0\n";
    for (size_t i = 0; i < loop.arguments.size(); ++i)
      text += "  " + loop.name + ".done" + std::to_string(i) + " = " +
              call(i, turns + ".good", wire::kCheckedRangeHappens);
    insertions[function_.instructions[loop.entry].begin] += text;
  }
}

} // namespace copse::popc
