// Compares AMP and SLIC with their definition, written down unit by unit and number by number.
#include "processor/accumulators.hpp"
#include "processor/float_vectors.hpp"
#include "processor/half_rounding.hpp"
#include "processor/operations.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace copse::ipud {
namespace {

using isa::Opcode;

struct Variant {
  Opcode opcode;
  unsigned sets;
  bool slic;
  enum class Kind { Half, Single, Quarter } kind;
  bool halfIn, halfOut;
};
constexpr auto kHalf = Variant::Kind::Half, kSingle = Variant::Kind::Single,
               kQuarter = Variant::Kind::Quarter;
constexpr Variant kVariants[] = {
    {Opcode::F16v4sisoamp, 1, false, kHalf, false, false},
    {Opcode::F16v4sihoamp, 1, false, kHalf, false, true},
    {Opcode::F16v4hihoamp, 1, false, kHalf, true, true},
    {Opcode::F16v4hihov4amp, 2, false, kHalf, true, true},
    {Opcode::F8v8hihov4amp, 2, false, kQuarter, true, true},
    {Opcode::F32sisoamp, 1, false, kSingle, false, false},
    {Opcode::F32sisov2amp, 2, false, kSingle, false, false},
    {Opcode::F16v4sisoslic, 1, true, kHalf, false, false},
    {Opcode::F16v4sihoslic, 1, true, kHalf, false, true},
    {Opcode::F16v4hihoslic, 1, true, kHalf, true, true},
    {Opcode::F16v4hihov4slic, 2, true, kHalf, true, true},
    {Opcode::F8v8hihov4slic, 2, true, kQuarter, true, true},
    {Opcode::F32sisoslic, 1, true, kSingle, false, false},
    {Opcode::F32sisov2slic, 2, true, kSingle, false, false},
};

using Registers = std::array<float, 32>; // $AACC
using Term = std::function<float(unsigned unit)>;

/// Executes one call of one set, in the words of the instruction's definition.
void callSet(Registers &a, unsigned set, unsigned units, bool slic, bool first, bool moves,
             const Term &term, const float *partials, float *results) {
  const Registers old = a;
  const unsigned base = 16 * set, out = slic || first ? 0 : 1;
  results[0] = old[base + out];
  results[1] = old[base + 2 + out];
  for (unsigned u = 0; u < units; ++u) {
    float *const even = &a[base + 2 * u];
    const float term32 = term(8 * set + u);
    const float fromEven = u + 2 < units ? old[base + 2 * (u + 2)] : partials[u % 2];
    const float fromOdd = u + 2 < units ? old[base + 2 * (u + 2) + 1] : partials[u % 2];
    if (slic) {
      *even = fp::accumulated(moves ? fromEven : *even, term32);
      continue;
    }
    *even = fp::accumulated(old[base + 2 * u + (first ? 1 : 0)], term32);
    if (moves)
      even[1] = first ? fromEven : fromOdd;
  }
}

class Machine {
public:
  explicit Machine(unsigned seed) : random_(seed) {
    core_.chip = &chip_, core_.weights = &weights_;
  }

  void writeWeights(bool ordinary) {
    for (unsigned i = 0; i < 64; ++i) {
      std::uint64_t word = 0;
      for (unsigned k = 0; k < 4; ++k)
        word |= std::uint64_t{half(ordinary)} << (16 * k);
      if (random_() % 3 == 0)
        word = std::uint64_t{single(ordinary)} << 32 | single(ordinary);
      weights_.set(i, word);
      bits_[i] = word;
    }
  }

  /// Executes one call by the instruction and one by its definition.
  void compare(const Variant &v, std::uint32_t immediate, bool ordinary) {
    setOperands(v, ordinary);
    compareWith(v, immediate);
  }

private:
  std::uint16_t half(bool ordinary) {
    static constexpr std::uint16_t kSpecial[] = {0,      0x8000, 1,      0x8001, 0x03FF,
                                                 0x0400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00,
                                                 0x7C01, 0x7E00, 0xFE01};
    const auto bits = static_cast<std::uint16_t>(random_());
    if (ordinary)
      return random_() % 8 == 0 ? bits & 0x8000
                                : static_cast<std::uint16_t>((bits & 0x9FFF) + 0x2000);
    return random_() % 4 == 0 ? kSpecial[random_() % std::size(kSpecial)] : bits;
  }
  std::uint32_t single(bool ordinary) {
    static constexpr std::uint32_t kSpecial[] = {0,          0x80000000, 1,          0x807FFFFF,
                                                 0x00800000, 0x80800001, 0x7F7FFFFF, 0x7F800000,
                                                 0xFF800000, 0x7F800001, 0x7FC00000, 0x3F800000,
                                                 0x1FFFFFFF, 0x20000000, 0x3F7FFFFF};
    const std::uint32_t bits = random_();
    if (ordinary)
      return random_() % 8 == 0 ? bits & 0x80000000 : (bits & 0x9FFFFFFF) + 0x20000000;
    return random_() % 4 == 0 ? kSpecial[random_() % std::size(kSpecial)] : bits;
  }

  void setOperands(const Variant &v, bool ordinary) {
    for (unsigned i = 0; i < 32; ++i)
      if (random_() % 4 == 0 || !ordinary)
        core_.accumulators[i] = fp::asFloat(single(ordinary));
    const auto halves = [&] { return half(ordinary) | std::uint32_t{half(ordinary)} << 16; };
    for (unsigned i = 0; i < 2; ++i) {
      core_.registers.a(kX + i) = v.kind == kSingle    ? single(ordinary)
                                  : v.kind == kQuarter ? static_cast<std::uint32_t>(random_())
                                                       : halves();
      core_.registers.a(kP + i) = v.halfIn ? halves() : single(ordinary);
    }
    core_.tas = single(ordinary);
    core_.fpStatus = 0;
    core_.fpControl = random_() % 4 == 0 ? (random_() % 4) << 19 : 0; // ESR, NANOO
    core_.fpFormat = random_() % 4;
    core_.fpScale = random_() % 8 == 0 ? random_() % 64 : 0;
    core_.prng = {random_(), random_()};
  }

  float term(const Variant &v, unsigned unit, unsigned group, bool upper, std::uint32_t x,
             std::uint32_t &flags) const {
    const std::uint64_t weights = bits_[4 * unit + group];
    std::uint64_t input = 0;
    std::memcpy(&input, &core_.registers.all[kX], sizeof input);
    if (v.kind == kSingle)
      return fp::product(static_cast<std::uint32_t>(weights >> (upper ? 32 : 0)), x, flags);
    if (v.kind == kHalf) {
      std::uint16_t w[4], h[4];
      std::memcpy(w, &weights, sizeof w);
      std::memcpy(h, &input, sizeof h);
      return fp::dot16(h, w, flags);
    }
    std::uint8_t w[8], h[8];
    std::memcpy(w, &weights, sizeof w);
    std::memcpy(h, &input, sizeof h);
    return fp::dot8(h, static_cast<fp::QuarterFormat>(core_.fpFormat >> 1), w,
                    static_cast<fp::QuarterFormat>(core_.fpFormat & 1), core_.quarterScale(),
                    flags);
  }

  void compareWith(const Variant &v, std::uint32_t immediate) {
    const unsigned units = 2 * (immediate / 16 + 1);
    const unsigned phases = v.kind != kSingle ? 4 : v.slic ? 2 : 8;
    const unsigned phase = immediate % phases, group = immediate >> 2 & 3;
    Registers a;
    for (unsigned i = 0; i < 32; ++i)
      a[i] = core_.accumulators[i];
    float partials[4], results[4] = {};
    std::uint32_t flags = 0;
    const bool usesPartials = v.kind != kSingle || v.sets == 2 || phase % 2 == 0;
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t word = core_.registers.a(kP + (v.halfIn ? i / 2 : i % 2));
      const auto h = static_cast<std::uint16_t>(word >> (16 * (i % 2)));
      if (i < (v.kind == kSingle ? 2 : 2 * v.sets) && usesPartials)
        partials[i] = v.halfIn ? fp::partial16(h, flags) : fp::partial32(word, flags);
    }
    for (unsigned set = 0; set < v.sets; ++set) {
      const unsigned own = (phase + phases - (v.kind == kSingle ? set : 0)) % phases;
      const bool moves = v.kind != kSingle || own % 2 == 0;
      const unsigned weightGroup = v.slic ? group : v.kind == kSingle ? own / 2 : own;
      const std::uint32_t x = set == 0 ? core_.registers.a(kX) : core_.tas;
      float out[2];
      callSet(
          a, set, units, v.slic, own == 0, moves,
          [&](unsigned unit) { return term(v, unit, weightGroup, own % 2 != 0, x, flags); },
          partials + (v.kind == kSingle ? 0 : 2 * set), out);
      if (v.kind != kSingle)
        std::copy_n(out, 2, results + 2 * set);
      else if (v.sets == 1 || moves)
        std::copy_n(out, 2, results);
    }
    Core expected;
    static_cast<WorkerState &>(expected) = core_;
    const operation::Rounding rounding(expected, v.halfOut);
    std::uint64_t out = 0;
    for (unsigned i = 0; i < 2 * v.sets; ++i)
      if (v.halfOut)
        out |= std::uint64_t{fp::read16(results[i], i, rounding.mode, flags)} << (16 * i);
    if (!v.halfOut)
      out = std::uint64_t{fp::read32(results[1], flags)} << 32 | fp::read32(results[0], flags);

    MicroOp op;
    op.r[0] = kD, op.r[1] = kX, op.r[2] = kP;
    op.immediate = static_cast<std::int32_t>(immediate);
    {
      const fp::FlushesDenormals mode;
      ASSERT_TRUE(operation::functionOf(v.opcode, op.immediate)(core_, op));
    }
    for (unsigned i = 0; i < 32; ++i)
      ASSERT_EQ(fp::asBits(core_.accumulators[i]), fp::asBits(a[i])) << "accumulator " << i;
    ASSERT_EQ(core_.fpStatus, flags);
    ASSERT_EQ(core_.registers.a(kD), static_cast<std::uint32_t>(out));
    if (!v.halfOut || v.sets == 2) {
      ASSERT_EQ(core_.registers.a(kD + 1), out >> 32);
    }
    ASSERT_EQ(core_.prng.s0, expected.prng.s0);
    ASSERT_EQ(core_.prng.s1, expected.prng.s1);
  }

  static constexpr unsigned kX = 0, kP = 2, kD = 4;
  std::mt19937_64 random_;
  const Chip chip_ = chipOf(isa::Architecture::Ipu2);
  Core core_;
  Weights weights_;
  std::array<std::uint64_t, 64> bits_{};
};

class MatrixInstructions : public ::testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(All, MatrixInstructions, ::testing::ValuesIn(kVariants),
                         [](const auto &variant) {
                           return std::string(isa::infoOf(variant.param.opcode).mnemonic);
                         });

TEST_P(MatrixInstructions, FollowTheirDefinition) {
  Machine machine(static_cast<unsigned>(GetParam().opcode));
  std::mt19937 random(1);
  constexpr int kCalls = 72'000; // a million for all instructions
  for (int i = 0; i < kCalls; ++i) {
    const bool ordinary = i % 3 != 0;
    if (i % 24 == 0)
      machine.writeWeights(i / 24 % 4 != 0);
    std::uint32_t immediate = random() % 2 == 0 ? 0x30 | random() % 16 : random() % 64;
    if (!GetParam().slic && GetParam().kind != kSingle)
      immediate &= ~4U; // four phases
    machine.compare(GetParam(), immediate, ordinary);
    ASSERT_FALSE(HasFatalFailure()) << "call " << i << ", immediate " << immediate;
  }
}

} // namespace
} // namespace copse::ipud
