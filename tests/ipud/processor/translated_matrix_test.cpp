// Compares AMP and SLIC in translated loops with the interpreter, with weights and inputs of all
// kinds.
#include "outcome.hpp"
#include "processor/float_bits.hpp"
#include "processor/main_operations.hpp"

#include <gmock/gmock.h>

#include <random>

namespace copse::ipud {
namespace {

using test::Outcome;
using test::TestTile;

constexpr std::uint32_t kInputs = 0x80000, kInputBytes = 0x8000, kResults = 0x90000,
                        kOtherInputs = 0xC0000, kPlain = 0x60000; // not interleaved

/// Numbers as patterns of 32 bits: singles, or two halves.
class Numbers {
public:
  /// Sums of edges are ties that a distant product breaks, and products of edges are about the
  /// smallest normal number.
  enum class Kind { Tame, Wide, Special, Edges };
  Numbers(unsigned seed, bool areHalves, Kind kind)
      : random_(seed), areHalves_(areHalves), kind_(kind) {}

  std::uint32_t any(std::uint32_t below) { return static_cast<std::uint32_t>(random_()) % below; }
  std::uint32_t word() {
    if (!areHalves_)
      return single();
    const std::uint32_t low = half();
    return half() << 16 | low;
  }

private:
  std::uint32_t half() {
    static constexpr std::uint32_t kEdges[] = {0x6C00, 0x3C00, 0x0010, 0, 0};
    const std::uint32_t digits = any(1 << 10), sign = any(2) << 15;
    if (kind_ == Kind::Edges)
      return sign | kEdges[any(std::size(kEdges))];
    if (kind_ == Kind::Special && any(200) == 0)
      return sign | fp::kExponent16 | (any(2) == 0 ? 0 : digits);
    if (any(8) == 0)
      return sign | (kind_ == Kind::Tame ? 0 : any(4) == 0 ? digits : 0);
    return sign | (kind_ == Kind::Tame ? 10 + any(8) : 1 + any(30)) << 10 | digits;
  }
  std::uint32_t single() {
    static constexpr std::uint32_t kEdges[] = {0x00800000, 0x3F7FFFFF, 0x3F800000,
                                               0,          0x20000000, 0x1FFFFFFF};
    const std::uint32_t digits = any(1 << 23), sign = any(2) << 31;
    if (kind_ == Kind::Edges)
      return sign | kEdges[any(std::size(kEdges))];
    if (kind_ == Kind::Special && any(200) == 0)
      return sign | fp::kExponent32 | (any(2) == 0 ? 0 : digits);
    if (any(8) == 0)
      return sign | (any(4) == 0 ? digits : 0);
    return sign | (kind_ == Kind::Tame ? 120 + any(8) : 1 + any(254)) << 23 | digits;
  }

  std::mt19937 random_;
  bool areHalves_;
  Kind kind_;
};

struct MatrixCase {
  const char *opcode;
  bool readsSingle; ///< f32: one register is the input
  unsigned partials, results;
} const kMatrixCases[] = {
    {"f16v4sisoamp", false, 2, 2},  {"f16v4sihoamp", false, 2, 1},
    {"f16v4hihoamp", false, 1, 1},  {"f16v4hihov4amp", false, 2, 2},
    {"f16v4sisoslic", false, 2, 2}, {"f16v4sihoslic", false, 2, 1},
    {"f16v4hihoslic", false, 1, 1}, {"f16v4hihov4slic", false, 2, 2},
    {"f32sisoamp", true, 2, 2},     {"f32sisoslic", true, 2, 2},
    {"f32sisov2amp", true, 2, 2},   {"f32sisov2slic", true, 2, 2},
};

/// Returns a repeat with calls of the units beside loads and stores.
class MatrixProgram {
public:
  MatrixProgram(const MatrixCase &c, unsigned seed) : case_(c), random_(seed) {}

  std::string source() {
    const std::uint32_t bundles = 1 + any(5);
    paces_ = any(2) == 0;
    // Other instructions that use accumulators, or that are called, keep them in memory.
    const bool withOthers = any(4) == 0;
    std::string text = ".worker\n.align 8\nnop\nrpt $m9, " + std::to_string(bundles - 1) + "\n";
    for (std::uint32_t i = 0; i < bundles; ++i)
      text += ".align 8\n{ " + mainLane() + "\n" + (withOthers && any(3) == 0 ? other() : call()) +
              " }\n";
    return text + "exitz $mzero\n";
  }

private:
  std::uint32_t any(std::uint32_t below) { return static_cast<std::uint32_t>(random_()) % below; }
  std::string group(unsigned registers, std::uint32_t first) {
    return registers == 1 ? "$a" + std::to_string(first + any(2))
                          : "$a" + std::to_string(first) + ":" + std::to_string(first + 1);
  }
  std::string operand(unsigned registers) {
    const bool isZero = any(6) == 0;
    return isZero ? (registers == 1 ? "$azero" : "$azeros") : group(registers, 2 * any(4));
  }
  std::string mainLane() {
    if (paces_)
      return pacing();
    switch (any(4)) {
    case 0:
      return "ld64step $a0:1, $mzero, $m6+=, " + std::to_string(any(3));
    case 1:
      return "ld64step $a2:3, $mzero, $m6+=, " + std::to_string(any(3));
    case 2:
      return "st64step $a" + std::string(any(2) == 0 ? "4:5" : "6:7") + ", $mzero, $m7+=, 1";
    default:
      return "nop";
    }
  }
  std::string pacing() {
    const std::string addresses = ", $m4:5+=, " + std::string(any(2) == 0 ? "$mzero, " : "$m8, ");
    switch (any(4)) {
    case 0:
      return "ld2x64pace $a0:1, $a2:3" + addresses + std::to_string(any(16));
    case 1:
      return "ldst64pace $a0:1, $a4:5" + addresses + std::to_string(any(16));
    case 2:
      return "ld2xst64pace $a0:3, $a6:7" + addresses + std::to_string(any(64));
    default:
      return "st64pace $a4:5" + addresses + std::to_string(any(4));
    }
  }
  std::string call() {
    return std::string(case_.opcode) + " " + group(case_.results, 4 + 2 * any(2)) + ", " +
           operand(case_.readsSingle ? 1 : 2) + ", " + operand(case_.partials) + ", 0x3" +
           std::to_string(any(8));
  }
  std::string other() {
    static constexpr const char *kOthers[] = {
        "f32v2mac $a0:1, $a2:3", "f32v2add $a4:5, $a0:1, $a2:3", "f32v2max $a4:5, $a0:1, $a2:3",
        "or64 $a6:7, $a0:1, $a2:3"};
    return kOthers[any(std::size(kOthers))];
  }

  const MatrixCase &case_;
  std::mt19937 random_;
  bool paces_ = false; ///< two or three addresses in $m4:5
};

/// Makes all products, and all sums before them, -0.
void makeZerosNegative(TestTile &t) {
  constexpr std::uint64_t kMinusZeros = 0x8000800080008000;
  for (unsigned i = 0; i < 64; ++i)
    t.tile.weights.set(i, kMinusZeros);
  for (unsigned i = 0; i < 2 * Accumulators::kUnits; ++i)
    t.accumulator(i) = -0.0F;
  for (unsigned i = 0; i < 8; ++i)
    t.setA(i, i < 4 ? 0x3C003C00 : 0x80000000);
  for (std::uint32_t at = 0; at < kInputBytes; at += 4)
    stored(t.base() + kInputs + at, 0x3C003C00);
}

/// Sets packed addresses, mostly such that all accesses are allowed, and their strides.
void setAddresses(TestTile &t, unsigned seed) {
  static constexpr std::uint32_t kResultsOf[] = {kPlain + 0x8000, kOtherInputs + 0x2008, kResults,
                                                 kOtherInputs + 0xC000, kResults + 4};
  // If three addresses are accessed, the second must be in the interleaved region.
  const std::uint32_t second = seed % 7 == 3 ? kPlain : kOtherInputs + 0x1000;
  const std::uint64_t addresses =
      operation::packed(kInputs + 0x1000, second, kResultsOf[seed / 2 % 5]);
  t.setM(4, static_cast<std::uint32_t>(addresses));
  t.setM(5, static_cast<std::uint32_t>(addresses >> 32));
  constexpr std::uint32_t two = 2, back = 0x3FF, four = 4;
  t.setM(8, two | back << 10 | four << 20);
}

void fill(TestTile &t, const MatrixCase &c, unsigned seed) {
  using Kind = Numbers::Kind;
  static constexpr Kind kKinds[] = {Kind::Tame, Kind::Edges, Kind::Wide, Kind::Special};
  // Weights are rarely special: one special weight would affect all sums.
  static constexpr Kind kWeights[] = {Kind::Tame, Kind::Edges, Kind::Edges, Kind::Tame, Kind::Wide};
  Numbers inputs(seed, !c.readsSingle, kKinds[seed % 4]);
  Numbers weights(seed + 1, !c.readsSingle, kWeights[seed % 5]);
  Numbers sums(seed + 2, false, kKinds[seed / 4 % 4]);
  for (unsigned i = 0; i < 8; ++i)
    t.setA(i, inputs.word());
  for (std::uint32_t at = 0; at < kInputBytes; at += 4) {
    stored(t.base() + kInputs + at, inputs.word());
    stored(t.base() + kOtherInputs + at, inputs.word());
  }
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint64_t low = weights.word();
    t.tile.weights.set(i, low | std::uint64_t{weights.word()} << 32);
  }
  if (seed % 11 == 0)
    t.tile.weights.set(inputs.any(64), 0x7C007F8000000000);
  for (unsigned i = 0; i < 2 * Accumulators::kUnits; ++i)
    t.accumulator(i) = fp::asFloat(sums.word());
  if (seed % 12 == 5)
    makeZerosNegative(t);
  setAddresses(t, seed);
  t.setM(6, kInputs);
  t.setM(7, kResults);
  t.setM(9, 300 + seed % 100);
  t.tile.initialControl = seed % 13 == 0 ? 1U << 19 : 0; // stochastic rounding
  t.tile.workers[0].fpStatus = 0;
  t.tile.workers[0].tas = inputs.word();
}

/// Returns the outcome of the second run, in which the loop is hot.
Outcome outcomeOf(const MatrixCase &c, const std::string &source, unsigned seed,
                  Translation translation) {
  TestTile t(isa::Architecture::Ipu2, translation);
  t.assemble(source);
  fill(t, c, seed + 1);
  (void)t.run();
  fill(t, c, seed);
  Outcome outcome;
  outcome.result = t.run();
  outcome.state = t.tile.workers[0];
  outcome.memory = t.read(kPlain, 0x20000);
  return outcome;
}

class TranslatedMatrix : public ::testing::TestWithParam<MatrixCase> {};

TEST_P(TranslatedMatrix, LeavesTheSameStateAsTheInterpreter) {
  constexpr unsigned kPrograms = 100;
  const MatrixCase &c = GetParam();
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const std::string source = MatrixProgram(c, seed).source();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + source);
    test::expectTheSame(outcomeOf(c, source, seed, Translation::HotCode),
                        outcomeOf(c, source, seed, Translation::None));
    if (::testing::Test::HasFailure())
      return;
  }
}

INSTANTIATE_TEST_SUITE_P(Opcodes, TranslatedMatrix, ::testing::ValuesIn(kMatrixCases),
                         [](const auto &p) { return p.param.opcode; });

} // namespace
} // namespace copse::ipud
