#include "library_costs.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace copse::popc {
namespace {

using std::string_view;
using enum Lane;

struct Entry {
  string_view name;
  Issue cost;
};

// [ISA]: cycles of one instruction. Source: the vendor's ISA document, worst case. [P]: a routine,
// with the cycles for one element in the performance tables of Graphcore's public library (PopLibs,
// popopsCycleEstimators.hpp), less its load and store.

/// Mathematical functions of one float, without "f" or LLVM's prefix.
constexpr std::array<Entry, 39> kOfFloat{{
    {"fabs", {Aux, 1}},                                 // [ISA] and
    {"sqrt", {Aux, 5}},                                 // [ISA] f32sqrt
    {"exp", {Aux, 3}},                                  // [ISA] f32exp
    {"exp2", {Aux, 3}},                                 // [ISA] f32exp2
    {"log", {Aux, 6}},                                  // [ISA] f32ln
    {"log2", {Aux, 6}},                                 // [ISA] f32log2
    {"log10", {Aux, 7}},                                // [ISA] f32log2, f32mul
    {"tanh", {Aux, 5}},                                 // [ISA] f32tanh
    {"floor", {Aux, 1}},                                // [ISA] f32int
    {"ceil", {Aux, 1}},                                 //
    {"trunc", {Aux, 1}},                                //
    {"rint", {Aux, 1}},                                 //
    {"nearbyint", {Aux, 1}},                            //
    {"round", {Aux, 1}},                                //
    {"roundeven", {Aux, 1}},                            //
    {"minnum", {Aux, 1}},                               // [ISA] f32min
    {"maxnum", {Aux, 1}},                               // [ISA] f32max
    {"fmin", {Aux, 1}},                                 //
    {"fmax", {Aux, 1}},                                 //
    {"copysign", {Aux, 3}},                             // [P] 3 of CBRT
    {"fma", {Aux, 2}},                                  // f32mul, f32add
    {"fmuladd", {Aux, 2}},                              //
    {"expm1", {Aux, 4}},                                // [P] EXPONENT_MINUS_ONE
    {"log1p", {Aux, 18}},                               // [P] LOGARITHM_ONE_PLUS
    {"cbrt", {Alone, 27}},                              // [P] CBRT
    {"erf", {Alone, 41}},                               // [P] ERF
    {"asin", {Alone, 102}},                             // [P] ASIN
    {"acos", {Alone, 102}},                             // as ASIN
    {"atan", {Alone, 136}},                             // as ATAN2
    {"atan2", {Alone, 136}},                            // [P] ATAN2: 272 for two
    {"pow", {Alone, 308}},                              // [P] POWER, less loads and store
    {"fmod", {Alone, 66}},                              // [P] REMAINDER: 133 for two
    {"remainder", {Alone, 66}}, {"sin", {Alone, 2300}}, // [P] SIN
    {"cos", {Alone, 2300}},                             // [P] COS
    {"tan", {Alone, 5100}},                             // [P] TAN
    {"sinh", {Alone, 10}},                              // two exponentials, a sum and a product
    {"cosh", {Alone, 10}},                              //
    {"ldexp", {Aux, 2}},                                //
}};

/// Other intrinsics of LLVM, without the type.
constexpr std::array<Entry, 22> kIntrinsics{{
    {"smin", {Main, 1}},       // [ISA] min
    {"smax", {Main, 1}},       // [ISA] max
    {"umin", {Main, 2}},       // [P] MAXIMUM of unsigned: one more than of int
    {"umax", {Main, 2}},       //
    {"abs", {Main, 1}},        // [ISA] abs
    {"ctpop", {Main, 1}},      // [ISA] popc
    {"ctlz", {Main, 1}},       // [ISA] clz
    {"cttz", {Main, 4}},       // bitrev8, swap8, shuf, clz
    {"bitreverse", {Main, 3}}, //
    {"bswap", {Main, 2}},      //
    {"fshl", {Main, 3}},       // shl, shr, or
    {"fshr", {Main, 3}},       //
    {"usub.sat", {Main, 2}},   //
    {"uadd.sat", {Main, 2}},   //
    {"ssub.sat", {Main, 4}},   //
    {"sadd.sat", {Main, 4}},   //
    {"uadd.with.overflow", {Main, 2}},
    {"usub.with.overflow", {Main, 2}},
    {"umul.with.overflow", {Main, 8}},
    {"sadd.with.overflow", {Main, 4}},
    {"ssub.with.overflow", {Main, 4}},
    {"smul.with.overflow", {Main, 8}},
}};

/// Builtins of the tile that take more than one cycle, without "f32" and similar. [ISA]
struct BuiltinCost {
  string_view name;
  unsigned ofFloat, ofHalfPair;
};
constexpr std::array<BuiltinCost, 14> kBuiltins{{
    {"exp", 3, 2},
    {"exp2", 3, 2},
    {"ln", 6, 2},
    {"log", 6, 2},
    {"log2", 6, 2},
    {"tanh", 5, 1},
    {"sigm", 5, 2},
    {"sqrt", 5, 5},
    {"oox", 3, 3},
    {"oorx", 4, 4},
    {"rsqrt", 4, 4},
    {"div", 3, 3},
    {"urand_f32", 2, 2}, // urand32, f32sufromui
    {"urand_f16", 2, 2},
}};

template <std::size_t N> const Entry *find(const std::array<Entry, N> &table, string_view name) {
  const auto found = std::ranges::find(table, name, &Entry::name);
  return found == table.end() ? nullptr : &*found;
}

/// The name of an intrinsic without its type, such as "exp" of "llvm.exp.f32" and
/// "llvm.exp.v2f32".
struct IntrinsicName {
  string_view name, type;
};
std::optional<IntrinsicName> intrinsicIn(string_view name) {
  constexpr string_view kIntrinsic = "llvm.";
  if (!name.starts_with(kIntrinsic))
    return std::nullopt;
  name.remove_prefix(kIntrinsic.size());
  for (std::size_t dot = name.find('.'); dot != string_view::npos; dot = name.find('.', dot + 1)) {
    const string_view behind = name.substr(dot + 1);
    const bool isType = behind.size() > 1 && behind[1] >= '0' && behind[1] <= '9' &&
                        (behind[0] == 'f' || behind[0] == 'i' || behind[0] == 'v');
    if (isType)
      return IntrinsicName{name.substr(0, dot), behind};
  }
  return IntrinsicName{name, ""};
}

/// Returns the number of instructions for all elements of a type such as "v4f32": a register pair
/// has 64 bits.
unsigned registersOf(string_view type) {
  if (!type.starts_with('v'))
    return 1;
  unsigned elements = 1;
  const auto result = std::from_chars(type.data() + 1, type.data() + type.size(), elements);
  const string_view element(result.ptr,
                            static_cast<std::size_t>(type.data() + type.size() - result.ptr));
  if (element.starts_with('i'))
    return elements; // integers have no vectors
  return std::max(1u, elements * (element == "f16" ? 16 : 32) / 64);
}

/// Returns how often an instruction is issued for all elements of \p type. Transcendental
/// instructions of floats have no vector form, but the instructions of halves process two at once.
unsigned timesOf(const Entry &entry, string_view type) {
  if (!type.starts_with('v') || entry.cost.cycles <= 1)
    return registersOf(type);
  unsigned elements = 1;
  std::from_chars(type.data() + 1, type.data() + type.size(), elements);
  return type.ends_with("f16") ? (elements + 1) / 2 : elements;
}

/// Returns the cost of an operation of halves or a division: "copse.fadd.half4",
/// "copse.sitofp.i32.half".
std::optional<Issue> tileOperation(string_view name) {
  constexpr string_view kOperation = "copse.";
  if (!name.starts_with(kOperation))
    return std::nullopt;
  name.remove_prefix(kOperation.size());
  const std::size_t dot = name.rfind('.');
  const string_view operation = name.substr(0, std::min(name.find('.'), name.size()));
  const string_view type = name.substr(dot + 1);
  unsigned elements = 1;
  const std::size_t digit = type.find_first_of("0123456789");
  if (digit != string_view::npos)
    std::from_chars(type.data() + digit, type.data() + type.size(), elements);
  const bool isHalf = type.starts_with("half");
  if (operation == "fdiv") {
    if (type.starts_with("double"))
      return Issue{Alone, 300 * elements}; // estimate of Copse: a routine of integers
    // [ISA] f32div; of halves: [P] DIVIDE HALF, 21 for four with loads and store.
    return isHalf ? Issue{Aux, elements == 1 ? 6 : 5 * elements} : Issue{Aux, 3 * elements};
  }
  if (operation == "frem")
    return Issue{Alone, 66 * elements};
  if (operation == "sitofp" || operation == "uitofp")
    return Issue{Alone, 4 * elements};                    // through memory, f32fromi32, f32tof16
  const unsigned atOnce = operation == "fptrunc" ? 2 : 4; // f32v2tof16; f16v4add
  return Issue{Aux, (elements + atOnce - 1) / atOnce};
}

/// The parts of a builtin's C++ name: "exp" and its parameters "Dv2_DF16_" of
/// "_Z19__builtin_ipu_expDv2_DF16_".
struct BuiltinName {
  string_view name, parameters;
};
std::optional<BuiltinName> builtinIn(string_view name) {
  constexpr string_view kWord = "__builtin_ipu_";
  const std::size_t at = name.find(kWord);
  if (at == string_view::npos)
    return std::nullopt;
  unsigned length = 0;
  std::size_t digit = at;
  while (digit > 0 && name[digit - 1] >= '0' && name[digit - 1] <= '9')
    --digit;
  std::from_chars(name.data() + digit, name.data() + at, length);
  if (length <= kWord.size() || name.size() < at + length)
    return std::nullopt;
  return BuiltinName{name.substr(at + kWord.size(), length - kWord.size()),
                     name.substr(at + length)};
}

Issue builtinCost(const BuiltinName &builtin) {
  string_view name = builtin.name;
  for (const string_view prefix : {"f32v2", "f32", "f16v2", "f16v4"})
    if (name.starts_with(prefix) && name.size() > prefix.size()) {
      name.remove_prefix(prefix.size());
      break;
    }
  // Instructions without floating-point operands belong to the main lane.
  const bool isOfIntegers =
      builtin.parameters.find_first_not_of("vijhtsacblm") == string_view::npos &&
      name.find("rand") == string_view::npos;
  const auto cost = std::ranges::find(kBuiltins, name, &BuiltinCost::name);
  if (cost == kBuiltins.end())
    return {isOfIntegers ? Main : Aux, 1};
  const bool isHalf = builtin.parameters.find("DF16_") != string_view::npos;
  unsigned elements = 1;
  if (builtin.parameters.starts_with("Dv"))
    std::from_chars(builtin.parameters.data() + 2,
                    builtin.parameters.data() + builtin.parameters.size(), elements);
  return {Aux, isHalf ? (elements + 1) / 2 * cost->ofHalfPair : elements * cost->ofFloat};
}

/// Returns true for functions of the headers that look up what a tile's instruction finds by
/// itself: the tile's only memory, and the worker's generator.
bool isOfTheTile(string_view name) {
  return name.find("6poplar8encoding12slotOfVertexEv") != string_view::npos ||
         name.find("6poplar8encoding17generatorOfWorkerEv") != string_view::npos;
}

} // namespace

bool isBuiltin(string_view name) { return standsForInstruction(name) || isOfTheTile(name); }

bool standsForInstruction(string_view name) { return builtinIn(name).has_value(); }

std::optional<Issue> libraryCost(string_view name) {
  if (isOfTheTile(name))
    return Issue{Main, 0};
  if (const auto operation = tileOperation(name))
    return operation;
  if (const auto builtin = builtinIn(name))
    return builtinCost(*builtin);
  if (const auto intrinsic = intrinsicIn(name)) {
    const Entry *entry = find(kOfFloat, intrinsic->name);
    if (entry == nullptr)
      entry = find(kIntrinsics, intrinsic->name);
    if (entry == nullptr)
      return Issue{Main, 0}; // hints for optimisers
    const bool isDouble = intrinsic->type == "f64";
    return isDouble
               ? Issue{Alone, 100 * entry->cost.cycles}
               : Issue{entry->cost.lane, entry->cost.cycles * timesOf(*entry, intrinsic->type)};
  }
  if (const Entry *const entry = find(kOfFloat, name)) // a function of doubles
    return Issue{Alone, 100 * entry->cost.cycles};
  if (name.ends_with('f'))
    if (const Entry *const entry = find(kOfFloat, name.substr(0, name.size() - 1)))
      return entry->cost;
  return std::nullopt;
}

} // namespace copse::popc
