#include "worker_costs.hpp"

#include "idle_assembly.hpp"
#include "library_costs.hpp"
#include "llvm_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace copse::popc {
namespace {

using namespace llvm_text;
using std::string_view;
using enum Lane;

constexpr unsigned kRegisterBits = 64; // a register pair: the size of one load or store

// Routines of the compiler's library for stores of less than a word, for which the tile has no
// instructions. Source: PopLibs, popopsCycleEstimators.hpp: LOGICAL_NOT of a bool takes 17 cycles
// and "uses _st8".
constexpr Issue kStoreByte{Alone, 12}, kStoreHalfWord{Alone, 10};

/// Cycles of routines for integer division. Source: PopLibs, popopsCycleEstimators.hpp, less the
/// surrounding loop.
struct Division {
  string_view opcode;
  unsigned ofWord, ofLong;
};
constexpr std::array<Division, 4> kDivisions{{
    {"sdiv", 271, 123},
    {"udiv", 259, 108},
    {"srem", 286, 159},
    {"urem", 276, 142},
}};

/// Returns the cycles of operations on integers of 64 bits, which are pairs of words. Source:
/// PopLibs, popopsCycleEstimators.hpp.
unsigned cyclesOfLong(string_view opcode) {
  if (opcode == "mul")
    return 23;
  if (opcode == "shl" || opcode == "lshr" || opcode == "ashr")
    return 11;
  return opcode == "add" || opcode == "sub" ? 4 : 2;
}

// Arithmetic of doubles by routines of integer instructions. Estimate of Copse.
constexpr unsigned kDoubleSum = 60, kDoubleProduct = 80, kDoubleConversion = 30;

bool isOneOf(string_view word, std::initializer_list<string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool isBitwise(string_view opcode) { return isOneOf(opcode, {"and", "or", "xor"}); }

bool isFloating(string_view type) { return isOneOf(elementOf(type), {"half", "float", "double"}); }

string_view typeOf(const Instruction &instruction) {
  const string_view first = instruction.rest.substr(0, commaIn(instruction.rest));
  return first.substr(0, typeEndIn(first));
}

bool isCompute(string_view callee) { return callee.find("7computeE") != string_view::npos; }

/// Returns true for an entry that calls a compute() that is a function of its own.
bool callsCompute(const Function &function) {
  return function.name.starts_with("@__runCodelet_") &&
         std::ranges::any_of(function.instructions, [](const Instruction &instruction) {
           return instruction.opcode == "call" && isCompute(calleeIn(instruction.rest));
         });
}

/// Returns "i32" for "float %3 to i32, !dbg !7".
string_view targetTypeOf(const Instruction &instruction) {
  const std::size_t to = instruction.rest.find(" to ");
  if (to == string_view::npos)
    return {};
  const string_view type = instruction.rest.substr(to + 4);
  return type.substr(0, commaIn(type));
}

unsigned divideUp(unsigned a, unsigned b) { return (a + b - 1) / b; }

unsigned alignmentOf(const Instruction &instruction, unsigned otherwise) {
  const std::size_t at = instruction.rest.find("align ");
  unsigned align = otherwise;
  if (at != string_view::npos)
    std::from_chars(instruction.rest.data() + at + 6,
                    instruction.rest.data() + instruction.rest.size(), align);
  return align;
}

bool isZero(string_view word) { return isOneOf(word, {"0", "null", "false", "0.000000e+00"}); }

/// Returns true if an operand is the mask of a tile's slot, which costs nothing: addresses on a
/// tile need no mask.
bool isSlotMask(string_view word) { return isOneOf(word, {"-2097152", "-4294967296"}); }

/// Returns the number of instructions for an access of \p bits with alignment \p align.
unsigned accesses(unsigned bits, unsigned align) {
  const unsigned bytes = divideUp(bits, 8);
  return std::max(1u, divideUp(bytes, std::clamp(align, 1u, kRegisterBits / 8)));
}

} // namespace

WorkerCosts::WorkerCosts(const Function &function, const Loops &loops, unsigned repeatLimit)
    : function_(function), loops_(loops), repeatLimit_(repeatLimit),
      startsCompute_(callsCompute(function)), users_(function.instructions.size()) {
  for (std::size_t i = 0; i < function.instructions.size(); ++i)
    for (const string_view value : function.instructions[i].values)
      if (const auto definition = function.definitionOf(value))
        users_[*definition].push_back(i);
}

const Instruction *WorkerCosts::definitionOf(string_view value) const {
  const auto definition = function_.definitionOf(value);
  return definition ? &function_.instructions[*definition] : nullptr;
}

bool WorkerCosts::isLoaded(string_view value) const {
  const Instruction *const definition = definitionOf(value);
  return definition != nullptr && definition->opcode == "load";
}

/// Returns true for loads and stores that only this machine needs: on the tile, operands of inline
/// assembly are in registers, and services are instructions.
bool WorkerCosts::isOfTheHost(const Instruction &access) const {
  if (access.rest.find("ptr @__copse") != string_view::npos ||
      access.rest.find("ptr @copse.") != string_view::npos)
    return true;
  string_view pointer = access.values.empty() ? string_view{} : access.values.back();
  for (const Instruction *from = definitionOf(pointer);
       from != nullptr && from->opcode == "getelementptr" && !from->values.empty();
       from = definitionOf(pointer))
    pointer = from->values.front();
  return pointer.starts_with("%copse.values");
}

std::vector<Issue> WorkerCosts::issuesOf(std::size_t number) const {
  const Instruction &instruction = function_.instructions[number];
  const string_view opcode = instruction.opcode;
  if (isOneOf(opcode, {"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv",
                       "sdiv", "urem", "srem"}))
    return ofInteger(instruction, number);
  if (isOneOf(opcode, {"fadd", "fsub", "fmul", "fneg", "fdiv", "frem"})) {
    const string_view type = typeOf(instruction);
    const unsigned elements = elementsOf(type);
    if (elementOf(type) == "double")
      return {{Alone, elements * (opcode == "fneg"   ? 1
                                  : opcode == "fmul" ? kDoubleProduct
                                  : opcode == "fdiv" ? 4 * kDoubleProduct
                                                     : kDoubleSum)}};
    if (opcode == "fdiv")
      return {{Aux, 3 * elements}};
    if (opcode == "frem")
      return {{Alone, 66 * elements}};
    return {{Aux, divideUp(bitsOf(type), kRegisterBits)}};
  }
  if (opcode == "icmp" || opcode == "fcmp")
    return ofComparison(instruction, number);
  if (isOneOf(opcode, {"zext", "sext", "trunc", "fpext", "fptrunc", "fptosi", "fptoui", "sitofp",
                       "uitofp"}))
    return ofConversion(instruction);
  if (opcode == "bitcast")
    return ofBitcast(instruction);
  if (opcode == "getelementptr")
    return ofAddress(instruction, number);
  if ((opcode == "load" || opcode == "store") && isOfTheHost(instruction))
    return {};
  if (opcode == "load") {
    const unsigned bits = bitsOf(typeOf(instruction));
    return bits == 0 ? std::vector<Issue>{}
                     : std::vector<Issue>{{Main, accesses(bits, alignmentOf(instruction, 8))}};
  }
  if (opcode == "store") {
    const unsigned bits = bitsOf(typeOf(instruction));
    const unsigned align = std::min(alignmentOf(instruction, 8), divideUp(bits, 8));
    if (bits == 0)
      return {};
    if (bits < 16 || align < 2)
      return {{Alone, kStoreByte.cycles * divideUp(bits, 8)}};
    if (bits < 32 || align < 4)
      return {{Alone, kStoreHalfWord.cycles * divideUp(bits, 16)}};
    return {{Main, accesses(bits, align)}};
  }
  if (opcode == "select")
    return ofSelect(instruction);
  if (opcode == "br" || opcode == "switch" || opcode == "ret")
    return ofBranch(instruction, number);
  if (opcode == "call")
    return ofCall(instruction);
  if (opcode == "extractelement" || opcode == "insertelement") {
    const auto operands = listIn(instruction.rest);
    const bool isConstant = !operands.empty() && operands.back().find('%') == string_view::npos;
    if (!isConstant)
      return {{Alone, 4}}; // through memory
    // Floats are already registers of a group; a half is one part of a register.
    const bool isHalf = bitsOf(elementOf(typeOf(instruction))) == 16;
    const bool isWhole = instruction.rest.find("poison") != string_view::npos;
    return isHalf && !isWhole ? std::vector<Issue>{{Aux, 1}} : std::vector<Issue>{};
  }
  if (opcode == "shufflevector") {
    // A broadcast element is an operand of the instruction that uses it ("$a0:BL").
    const bool isBroadcast = instruction.rest.find("zeroinitializer") != string_view::npos;
    return isBroadcast ? std::vector<Issue>{} : std::vector<Issue>{{Aux, 1}};
  }
  return {}; // phi, freeze, inttoptr, ptrtoint, alloca, unreachable, ...
}

/// Returns true if a number of 64 bits is part of an address, a count or an index, which have 32
/// bits on the tile.
bool WorkerCosts::isAddressWork(const Instruction &instruction) const {
  std::vector<const Instruction *> open{&instruction};
  for (std::size_t i = 0; i < open.size() && i < 32; ++i) {
    if (open[i]->opcode == "load" && typeOf(*open[i]) == "i64")
      return false;
    const bool ends = isOneOf(open[i]->opcode, {"load", "zext", "sext", "ptrtoint", "phi", "call"});
    for (const string_view value : open[i]->values)
      if (const Instruction *const definition = ends ? nullptr : definitionOf(value))
        open.push_back(definition);
  }
  return true;
}

/// Returns true if an increment is used only by its loop's comparison, by itself and by addresses.
/// Then the counting and the stepping instructions include it.
bool WorkerCosts::countsOnly(std::size_t increment) const {
  const Loop *const loop = loops_.around(function_.blockOf(increment));
  if (loop == nullptr || std::ranges::find(loop->increments, increment) == loop->increments.end())
    return false;
  std::vector<std::size_t> open{increment};
  std::vector<bool> seen(function_.instructions.size(), false);
  for (const string_view value : function_.instructions[increment].values)
    if (const auto phi = function_.definitionOf(value);
        phi && function_.instructions[*phi].opcode == "phi")
      open.push_back(*phi);
  bool isCompared = false;
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (seen[at])
      continue;
    seen[at] = true;
    for (const std::size_t user : users_[at]) {
      const string_view opcode = function_.instructions[user].opcode;
      if (user == increment || opcode == "phi")
        continue;
      if (loop->countedBy == user) {
        isCompared = true;
        continue;
      }
      if (!loop->contains[function_.blockOf(user)])
        continue; // known before the loop begins
      if (opcode == "getelementptr" || opcode == "load" || opcode == "store")
        continue;
      // The user is a sum that becomes an index in turn.
      if (!isOneOf(opcode, {"add", "sub", "shl", "zext", "sext", "trunc", "or"}) ||
          !loops_.isStepped(function_.instructions[user].result, *loop))
        return false;
      open.push_back(user);
    }
  }
  return isCompared || loop->countedBy.has_value() ||
         function_.instructions[increment].opcode == "getelementptr";
}

/// Returns true if \p value is used only for addresses that step with their loop.
bool WorkerCosts::isOnlyFor(string_view value, string_view user) const {
  const auto definition = function_.definitionOf(value);
  if (!definition || users_[*definition].empty())
    return false;
  return std::ranges::all_of(
      users_[*definition], [&](std::size_t i) { return function_.instructions[i].opcode == user; });
}

std::vector<Issue> WorkerCosts::ofInteger(const Instruction &instruction,
                                          std::size_t number) const {
  const string_view type = typeOf(instruction), opcode = instruction.opcode;
  const auto operands = listIn(instruction.rest);
  if (std::ranges::any_of(operands, [](string_view word) { return isSlotMask(word); }))
    return {};
  const bool isPart = opcode == "or" && type == "i64" && isAddressWork(instruction);
  if (isPart || countsOnly(number))
    return {};
  const Loop *const loop = loops_.around(function_.blockOf(number));
  // The index is computed from an index: the accesses that use it contain its offset, and step.
  if (loop != nullptr && isOneOf(opcode, {"add", "sub", "shl"}) &&
      isOnlyFor(instruction.result, "getelementptr") && loops_.isStepped(instruction.result, *loop))
    return {};
  const unsigned elements = elementsOf(type);
  const bool isLong = bitsOf(elementOf(type)) == 64 && !isAddressWork(instruction);
  const auto division = std::ranges::find(kDivisions, opcode, &Division::opcode);
  if (division != kDivisions.end())
    return {{Alone, elements * (isLong ? division->ofLong : division->ofWord)}};
  if (isLong)
    return {{Main, elements * cyclesOfLong(opcode)}};
  if (elements > 1 && isBitwise(opcode))
    return {{Aux, divideUp(bitsOf(type), kRegisterBits)}};
  return {{Main, elements}};
}

std::vector<Issue> WorkerCosts::ofComparison(const Instruction &instruction,
                                             std::size_t number) const {
  const string_view predicate = instruction.rest.substr(0, instruction.rest.find(' '));
  const string_view operands = instruction.rest.substr(predicate.size() + 1);
  const string_view type = operands.substr(0, typeEndIn(operands));
  const bool branches = isOnlyFor(instruction.result, "br");
  if (instruction.opcode == "fcmp") {
    if (elementOf(type) == "double")
      return {{Alone, kDoubleSum}};
    std::vector<Issue> issues{{Aux, divideUp(bitsOf(type), kRegisterBits)}};
    // Atom moves the mask to where branches can test it.
    if (branches || !isOnlyFor(instruction.result, "select"))
      issues.push_back({Main, elementsOf(type)});
    return issues;
  }
  for (const Loop &loop : loops_.all())
    if (loop.countedBy == number)
      return {};
  const auto list = listIn(operands);
  const string_view last = list.size() == 2 ? list[1] : string_view{};
  const bool isLong = type == "i64" && !isAddressWork(instruction);
  // brz, brnz, brneg and brpos compare themselves.
  const bool byBranch =
      branches && ((isOneOf(predicate, {"eq", "ne"}) && isZero(last)) ||
                   (predicate == "slt" && last == "0") || (predicate == "sgt" && last == "-1"));
  if (byBranch && !isLong)
    return {};
  const bool isInverted = isOneOf(predicate, {"sge", "sle", "uge", "ule"}) && !branches;
  return {{Main, elementsOf(type) * ((isInverted ? 2u : 1u) + (isLong ? 3u : 0u))}};
}

std::vector<Issue> WorkerCosts::ofConversion(const Instruction &instruction) const {
  const string_view opcode = instruction.opcode, from = typeOf(instruction),
                    to = targetTypeOf(instruction);
  const unsigned elements = elementsOf(to);
  const string_view operand = instruction.values.empty() ? "" : instruction.values.front();
  if (opcode == "trunc")
    return {};
  if (opcode == "zext" || opcode == "sext") {
    const unsigned bits = bitsOf(elementOf(from));
    // ldz8, lds8, ldz16 and lds16 extend the value that they load; a truth value is a whole word
    // anyway.
    if (bits >= 32 || bits == 1 || isLoaded(operand))
      return {};
    return {{Main, elements * (opcode == "zext" ? 1 : 2)}};
  }
  if (elementOf(from) == "double" || elementOf(to) == "double")
    return {{Alone, elements * kDoubleConversion}};
  if (opcode == "fpext")
    return {{Aux, divideUp(elements, 2)}}; // f16tof32, f16v2tof32
  if (opcode == "fptrunc")
    return {{Aux, divideUp(elements, 2)}};
  if (opcode == "fptosi" || opcode == "fptoui")
    return {{Aux, 2 * elements}, {Main, elements}}; // f32int, f32toi32, atom
  // No instruction moves a word from the main to the aux registers. The value goes through memory,
  // unless it comes from there.
  std::vector<Issue> issues;
  if (!isLoaded(operand) && !operand.empty())
    issues.push_back({Main, 2 * elements});
  issues.push_back({Aux, elements});
  return issues;
}

std::vector<Issue> WorkerCosts::ofBitcast(const Instruction &instruction) const {
  const string_view from = typeOf(instruction), to = targetTypeOf(instruction);
  const bool isToAux = !isFloating(from) && isFloating(to) && elementsOf(from) == 1;
  const bool isToMain = isFloating(from) && !isFloating(to) && elementsOf(to) == 1;
  const string_view operand = instruction.values.empty() ? "" : instruction.values.front();
  if (operand.empty() || isLoaded(operand) || isOnlyFor(instruction.result, "store"))
    return {};
  const unsigned words = divideUp(std::max(1u, bitsOf(to)), 32);
  if (isToMain)
    return {{Main, words}}; // atom
  return isToAux ? std::vector<Issue>{{Main, 2 * words}} : std::vector<Issue>{};
}

/// Returns the cost of an address. Accesses have a base, an index in units of their size, and a
/// step. Other indices cost a shift or a product.
std::vector<Issue> WorkerCosts::ofAddress(const Instruction &instruction,
                                          std::size_t number) const {
  const auto operands = listIn(instruction.rest);
  if (operands.size() < 3 || countsOnly(number))
    return {};
  const Loop *const loop = loops_.around(function_.blockOf(number));
  if (loop != nullptr && loops_.isStepped(instruction.result, *loop))
    return {};
  unsigned variable = 0;
  for (std::size_t i = 2; i < operands.size(); ++i)
    variable += operands[i].find('%') != string_view::npos && lastWord(operands[i]).starts_with('%')
                    ? 1
                    : 0;
  if (variable == 0)
    return {};
  const string_view element = operands.front();
  const bool isScalar = operands.size() == 3 && bitsOf(element) != 0;
  const bool isForAccesses = std::ranges::all_of(users_[number], [&](std::size_t user) {
    const Instruction &access = function_.instructions[user];
    return (access.opcode == "load" && bitsOf(typeOf(access)) == bitsOf(element)) ||
           (access.opcode == "store" && bitsOf(typeOf(access)) == bitsOf(element));
  });
  if (isScalar && isForAccesses)
    return {};
  return {{Main, variable * (element == "i8" ? 1 : 2)}};
}

std::vector<Issue> WorkerCosts::ofSelect(const Instruction &instruction) const {
  const auto operands = listIn(instruction.rest);
  if (operands.size() < 3)
    return {};
  const string_view type = operands[1].substr(0, typeEndIn(operands[1]));
  if (!isFloating(type))
    return {{Main, elementsOf(type)}}; // movz
  const Instruction *const condition =
      instruction.values.empty() ? nullptr : definitionOf(instruction.values.front());
  const bool byMask = condition != nullptr && condition->opcode == "fcmp";
  if (!byMask)
    return {{Main, 1}, {Aux, divideUp(bitsOf(type), kRegisterBits)}}; // a branch around a move
  const bool withZero = isZero(lastWord(operands[1])) || isZero(lastWord(operands[2])) ||
                        lastWord(operands[2]) == "zeroinitializer";
  return {{Aux, (withZero ? 1u : 3u) * divideUp(bitsOf(type), kRegisterBits)}}; // and, andc, or
}

/// Returns true for a loop of one block, without calls, whose count is known to fit into the field
/// of `rpt`.
bool WorkerCosts::repeats(const Loop &loop) const {
  if (loop.blocks != 1 || !loop.countedBy || loop.atMost > repeatLimit_)
    return false;
  const Block &block = function_.blocks[loop.header];
  unsigned cycles = 0;
  for (std::size_t i = block.first; i + 1 < block.first + block.count; ++i)
    for (const Issue &issue : issuesOf(i)) {
      if (issue.lane == Alone)
        return false;
      cycles += issue.cycles;
    }
  return cycles <= 256;
}

std::vector<Issue> WorkerCosts::ofBranch(const Instruction &instruction, std::size_t number) const {
  const std::size_t block = function_.blockOf(number);
  const auto &successors = function_.blocks[block].successors;
  if (instruction.opcode == "ret")
    return startsCompute_ ? std::vector<Issue>{} : std::vector<Issue>{{Alone, 1}}; // exitz, br $lr
  if (instruction.opcode == "switch")
    return {{Main, std::min<unsigned>(6, 2 * static_cast<unsigned>(successors.size()))}};
  const Loop *const loop = loops_.around(block);
  if (successors.size() < 2) {
    // A block falls through to the next. Only the end of a loop branches back. If the loop exits at
    // its top, the tile's compiler rotates it, and its only branch is the one that exits.
    const bool goesBack = loop != nullptr && !successors.empty() && successors[0] == loop->header;
    const bool isTurned =
        goesBack && std::ranges::find(loop->exits, loop->header) != loop->exits.end();
    return goesBack && !isTurned ? std::vector<Issue>{{Main, 1}} : std::vector<Issue>{};
  }
  for (const Loop &counted : loops_.all())
    if (counted.countedBy && counted.leavingBlock == block)
      return repeats(counted) ? std::vector<Issue>{} : std::vector<Issue>{{Main, 1}}; // brnzdec
  return {{Main, 1}};
}

std::vector<Issue> WorkerCosts::ofCall(const Instruction &instruction) const {
  if (const auto cycles = cyclesOfAssembly(instruction.rest))
    return *cycles == 0 ? std::vector<Issue>{} : std::vector<Issue>{{Alone, *cycles}};
  const string_view callee = calleeIn(instruction.rest);
  if (callee.starts_with("@llvm.mem")) {
    const auto arguments = argumentsIn(instruction.rest);
    unsigned bytes = 0;
    if (arguments.size() < 3)
      return {};
    const string_view size = lastWord(arguments[2]);
    if (size.starts_with('%'))
      return {{Alone, 20}}; // the routine; perByteOf() gives the rest
    std::from_chars(size.data(), size.data() + size.size(), bytes);
    const unsigned each = callee.starts_with("@llvm.memset") ? 1 : 2;
    return {{Main, std::max(1u, divideUp(bytes, 8)) * each}};
  }
  if (callee.starts_with('%')) {
    // The tile's own services are one instruction each, except assembly, which counts itself.
    const Instruction *const pointer = definitionOf(callee);
    if (pointer == nullptr || pointer->rest.find("@__copse") == string_view::npos)
      return {{Alone, 3}};
    const bool countsItself = pointer->rest.find("@__copseAssembly") != string_view::npos ||
                              pointer->rest.find("@__copseTileFunction") != string_view::npos;
    return countsItself ? std::vector<Issue>{} : std::vector<Issue>{{Aux, 1}};
  }
  if (const auto known = libraryCost(callee))
    return known->cycles == 0 ? std::vector<Issue>{} : std::vector<Issue>{*known};
  if (startsCompute_ && isCompute(callee))
    return {};
  return {{Alone, 2 + static_cast<unsigned>(argumentsIn(instruction.rest).size())}};
}

std::optional<CostPerByte> WorkerCosts::perByteOf(std::size_t number) const {
  const Instruction &instruction = function_.instructions[number];
  if (instruction.opcode != "call" || !calleeIn(instruction.rest).starts_with("@llvm.mem"))
    return std::nullopt;
  const auto arguments = argumentsIn(instruction.rest);
  if (arguments.size() < 3 || !lastWord(arguments[2]).starts_with('%'))
    return std::nullopt;
  const bool fills = calleeIn(instruction.rest).starts_with("@llvm.memset");
  return CostPerByte{lastWord(arguments[2]), arguments[2].substr(0, arguments[2].find(' ')),
                     fills ? 3u : 2u};
}

} // namespace copse::popc
