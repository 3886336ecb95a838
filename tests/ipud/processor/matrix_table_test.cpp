#include "accumulator_model.hpp"
#include "instruction_loop.hpp"
#include "quarter_model.hpp"

namespace copse::ipud {
namespace {

using model::Accumulators;
using model::Word;
using test::kStochastic;

constexpr unsigned kUnits = 8; ///< units of a set

/// Returns an immediate from its fields, like the constants for assembly.
Word ampImmediate(unsigned engines, unsigned phase) { return (engines - 1) << 4 | phase; }
Word slicImmediate(unsigned engines, unsigned group, unsigned phase) {
  return (engines - 1) << 4 | group << 2 | phase;
}

/// AMP and SLIC by their definition: every right-hand side is an old value.
class MatrixModel {
public:
  Accumulators a{};
  std::array<std::array<std::uint64_t, 4>, 2 * kUnits> weights{}; ///< [unit][group]
  Word format = 0;                                                ///< $FP_NFMT
  int scale = 0;
  Word tas = 0, flags = 0;

  /// Returns the dot product of a unit's weights with x.
  Word dot(unsigned unit, unsigned group, std::uint64_t x, bool quarters) {
    const std::uint64_t w = weights[unit][group];
    if (quarters)
      return dot8(w, x);
    std::array<Word, 4> ws{}, xs{};
    for (unsigned i = 0; i < 4; ++i) {
      ws[i] = w >> (16 * i) & 0xFFFF;
      xs[i] = x >> (16 * i) & 0xFFFF;
    }
    return model::dot(ws, xs, flags);
  }

  /// Returns D before it is converted: the working or the delayed values of the first two units of
  /// a set.
  std::array<Word, 2> front(unsigned set, bool delayed) const {
    return {a[16 * set + delayed], a[16 * set + 2 + delayed]};
  }

  /// Returns the value that moves into a unit: another unit's value, or the partials.
  Word behind(const Accumulators &old, unsigned set, unsigned unit, unsigned units, bool delayed,
              const std::array<Word, 4> &partials, unsigned firstPartial) const {
    return unit + 2 < units ? old[16 * set + 2 * (unit + 2) + delayed]
                            : partials[firstPartial + unit % 2];
  }

  void amp(unsigned sets, unsigned units, unsigned phase, std::uint64_t x,
           const std::array<Word, 4> &partials, bool quarters) {
    const Accumulators old = a;
    for (unsigned set = 0; set < sets; ++set)
      for (unsigned u = 0; u < units; ++u) {
        const unsigned own = 16 * set + 2 * u;
        a[own] = model::added(old[own + (phase == 0 ? 1 : 0)],
                              dot(kUnits * set + u, phase, x, quarters));
        a[own + 1] = behind(old, set, u, units, phase != 0, partials, 2 * set);
      }
  }
  void slic(unsigned sets, unsigned units, unsigned group, std::uint64_t x,
            const std::array<Word, 4> &partials, bool quarters) {
    const Accumulators old = a;
    for (unsigned set = 0; set < sets; ++set)
      for (unsigned u = 0; u < units; ++u)
        a[16 * set + 2 * u] = model::added(behind(old, set, u, units, false, partials, 2 * set),
                                           dot(kUnits * set + u, group, x, quarters));
  }
  void amp32(unsigned set, unsigned units, unsigned phase, Word x,
             const std::array<Word, 4> &partials) {
    const Accumulators old = a;
    for (unsigned u = 0; u < units; ++u) {
      const unsigned own = 16 * set + 2 * u;
      const std::uint64_t w = weights[kUnits * set + u][phase / 2];
      a[own] =
          model::added(old[own + (phase == 0 ? 1 : 0)],
                       model::product(static_cast<Word>(phase % 2 == 0 ? w : w >> 32), x, flags));
      if (phase % 2 == 0)
        a[own + 1] = behind(old, set, u, units, phase != 0, partials, 0);
    }
  }
  void slic32(unsigned set, unsigned units, unsigned group, unsigned phase, Word x,
              const std::array<Word, 4> &partials) {
    const Accumulators old = a;
    for (unsigned u = 0; u < units; ++u) {
      const unsigned own = 16 * set + 2 * u;
      const std::uint64_t w = weights[kUnits * set + u][group];
      const Word p = model::product(static_cast<Word>(phase == 0 ? w : w >> 32), x, flags);
      a[own] =
          model::added(phase == 0 ? behind(old, set, u, units, false, partials, 0) : old[own], p);
    }
  }

private:
  Word dot8(std::uint64_t w, std::uint64_t x) {
    const model::Format forWeights = (format & 1) != 0 ? model::kQuarter143 : model::kQuarter152;
    const model::Format forInput = (format & 2) != 0 ? model::kQuarter143 : model::kQuarter152;
    __int128 sum = 0;
    bool hasError = false;
    for (unsigned i = 0; i < 8; ++i) {
      const Word wi = w >> (8 * i) & 0xFF, xi = x >> (8 * i) & 0xFF;
      hasError |= wi == model::kError8 || xi == model::kError8;
      sum += static_cast<__int128>(model::valueOf8(wi, forWeights) * 0x1p17) *
             static_cast<__int128>(model::valueOf8(xi, forInput) * 0x1p17);
    }
    flags |= hasError ? model::kInvalid : 0;
    return hasError ? model::kNaN32 : model::singleOfInteger(sum, -34 + scale);
  }
};

enum class Data { Singles, Halves };

/// Accumulators hold no denormals and no NaN but the fixed one.
Word settled(Word x) {
  if (model::isNaN(x))
    return model::kNaN32;
  return (x & 0x7F800000) == 0 ? x & 0x80000000 : x;
}

/// Runs one instruction with all immediates from random states, beside the model.
class MatrixTable : public ::testing::Test {
protected:
  /// How many random pairs of operands each instruction multiplies, over all its immediates.
  const int kProducts = static_cast<int>(test::operandsOf(1'000'000));
  /// Products of one set, over the numbers of engines from 1 to 4.
  static constexpr int kUnitsOfAll = 2 + 4 + 6 + 8;

  test::TestTile tile{isa::Architecture::Ipu21};
  MatrixModel m;
  std::array<Word, 4> operands{}; ///< $a0 to $a3: x, then the partials

  std::uint64_t x() const { return std::uint64_t{operands[1]} << 32 | operands[0]; }
  std::uint64_t p() const { return std::uint64_t{operands[3]} << 32 | operands[2]; }

  /// Draws numbers: bits of any kind, or ordinary numbers, so that sums are meaningful.
  void drawWeights(Data weights, bool ordinary) {
    for (unsigned unit = 0; unit < 2 * kUnits; ++unit)
      for (unsigned group = 0; group < 4; ++group) {
        m.weights[unit][group] = value(weights, ordinary) << 32 | value(weights, ordinary);
        tile.tile.weights.set(4 * unit + group, m.weights[unit][group]);
      }
  }
  void draw(Data input, Data partials, bool ordinary) {
    for (unsigned i = 0; i < 4; ++i)
      operands[i] = static_cast<Word>(value(i < 2 ? input : partials, ordinary));
    for (unsigned i = 0; i < 32; ++i) {
      m.a[i] = settled(static_cast<Word>(value(Data::Singles, ordinary)));
      tile.accumulator(i) = std::bit_cast<float>(m.a[i]);
    }
    m.tas = static_cast<Word>(value(Data::Singles, ordinary));
    tile.tile.workers[0].tas = m.tas;
    m.flags = 0;
    for (unsigned i = 0; i < 4; ++i)
      tile.setA(i, operands[i]);
  }

  /// \param products  products of one instruction, summed over all immediates
  /// \param step  executes the model; returns $a4:5
  template <class Step>
  void expect(const std::string &mnemonic, const std::string &registers, unsigned immediate,
              int products, Data weights, Data input, Data partials, Step step) {
    const std::string text = mnemonic + " " + registers + ", " + std::to_string(immediate);
    SCOPED_TRACE(text);
    tile.assemble(".worker\n" + text + "\nexitz $mzero\n");
    tile.tile.initialFormat = m.format;
    tile.tile.initialScale = static_cast<Word>(m.scale) & 63;
    for (int turn = 0; turn * products < kProducts; ++turn) {
      const bool ordinary = turn % 4 != 0;
      if (turn % 4 < 2) // numbers of any kind; then ordinary ones, for some turns
        drawWeights(weights, ordinary);
      draw(input, partials, ordinary);
      ASSERT_EQ(tile.run().fault, nullptr);
      const std::uint64_t result = step();
      for (unsigned i = 0; i < 32; ++i)
        if (fp::asBits(tile.accumulator(i)) != m.a[i]) {
          ASSERT_EQ(fp::asBits(tile.accumulator(i)), m.a[i]) << "accumulator " << i;
        }
      ASSERT_EQ(tile.a(4), result & 0xFFFFFFFF);
      if (registers.starts_with("$a4:5")) {
        ASSERT_EQ(tile.a(5), result >> 32);
      }
      ASSERT_EQ(tile.status(), m.flags);
      ASSERT_EQ(tile.tile.workers[0].tas, m.tas);
    }
  }

  std::array<Word, 4> partials32() {
    return {model::taken(operands[2], m.flags), model::taken(operands[3], m.flags), 0, 0};
  }
  std::array<Word, 4> partials16(unsigned count) {
    std::array<Word, 4> all{};
    for (unsigned i = 0; i < count; ++i)
      all[i] = model::taken16(p() >> (16 * i) & 0xFFFF, m.flags);
    return all;
  }
  std::uint64_t given32(std::array<Word, 2> d) {
    return std::uint64_t{model::given(d[1], m.flags)} << 32 | model::given(d[0], m.flags);
  }
  std::uint64_t given16(std::initializer_list<std::array<Word, 2>> sets) {
    std::uint64_t all = 0;
    unsigned i = 0;
    for (const auto &d : sets)
      for (const Word acc : d) {
        all |= std::uint64_t{model::given16(acc, m.flags)} << (16 * i);
        ++i;
      }
    return all;
  }

private:
  std::uint64_t value(Data data, bool ordinary) {
    if (data == Data::Singles)
      return ordinary ? (source_.word() & 0x83FFFFFF) | 0x3C000000 : source_.single();
    if (ordinary)
      return (source_.word() & 0x87FF87FF) + 0x30003400;
    return source_.half() | std::uint64_t{source_.half()} << 16;
  }
  test::OperandSource source_;
};

TEST_F(MatrixTable, MultipliesHalvesInOneSet) {
  for (unsigned engines = 1; engines <= 4; ++engines)
    for (unsigned phase = 0; phase < 4; ++phase) {
      const Word imm = ampImmediate(engines, phase);
      const auto step = [&](const std::array<Word, 4> &partials) {
        const auto d = m.front(0, phase != 0);
        m.amp(1, 2 * engines, phase, x(), partials, false);
        return d;
      };
      expect("f16v4sisoamp", "$a4:5, $a0:1, $a2:3", imm, 4 * 4 * kUnitsOfAll, Data::Halves,
             Data::Halves, Data::Singles, [&] { return given32(step(partials32())); });
      expect("f16v4sihoamp", "$a4, $a0:1, $a2:3", imm, 4 * 4 * kUnitsOfAll, Data::Halves,
             Data::Halves, Data::Singles, [&] { return given16({step(partials32())}); });
      expect("f16v4hihoamp", "$a4, $a0:1, $a2", imm, 4 * 4 * kUnitsOfAll, Data::Halves,
             Data::Halves, Data::Halves, [&] { return given16({step(partials16(2))}); });
      ASSERT_FALSE(HasFatalFailure());
    }
}

TEST_F(MatrixTable, MultipliesHalvesInTwoSets) {
  for (unsigned engines = 1; engines <= 4; ++engines)
    for (unsigned phase = 0; phase < 4; ++phase)
      expect("f16v4hihov4amp", "$a4:5, $a0:1, $a2:3", ampImmediate(engines, phase),
             2 * 4 * 4 * kUnitsOfAll, Data::Halves, Data::Halves, Data::Halves, [&] {
               const auto first = m.front(0, phase != 0), second = m.front(1, phase != 0);
               m.amp(2, 2 * engines, phase, x(), partials16(4), false);
               return given16({first, second});
             });
}

TEST_F(MatrixTable, ConvolvesHalves) {
  for (const unsigned engines : {4U, 3U, 2U, 1U})
    for (unsigned group = 0; group < 4; ++group) {
      const Word imm = slicImmediate(engines, group, 0);
      const auto step = [&](unsigned sets, const std::array<Word, 4> &partials) {
        const std::array d{m.front(0, false), m.front(1, false)};
        m.slic(sets, 2 * engines, group, x(), partials, false);
        return d;
      };
      expect("f16v4sisoslic", "$a4:5, $a0:1, $a2:3", imm, 4 * 4 * kUnitsOfAll, Data::Halves,
             Data::Halves, Data::Singles, [&] { return given32(step(1, partials32())[0]); });
      expect("f16v4sihoslic", "$a4, $a0:1, $a2:3", imm, 4 * 4 * kUnitsOfAll, Data::Halves,
             Data::Halves, Data::Singles, [&] { return given16({step(1, partials32())[0]}); });
      expect("f16v4hihoslic", "$a4, $a0:1, $a2", imm, 4 * 4 * kUnitsOfAll, Data::Halves,
             Data::Halves, Data::Halves, [&] { return given16({step(1, partials16(2))[0]}); });
      expect("f16v4hihov4slic", "$a4:5, $a0:1, $a2:3", imm, 2 * 4 * 4 * kUnitsOfAll, Data::Halves,
             Data::Halves, Data::Halves, [&] {
               const auto d = step(2, partials16(4));
               return given16({d[0], d[1]});
             });
      ASSERT_FALSE(HasFatalFailure());
    }
}

TEST_F(MatrixTable, MultipliesSingles) {
  for (unsigned engines = 1; engines <= 4; ++engines)
    for (unsigned phase = 0; phase < 8; ++phase) {
      const Word imm = ampImmediate(engines, phase);
      const unsigned units = 2 * engines;
      expect("f32sisoamp", "$a4:5, $a0, $a2:3", imm, 8 * kUnitsOfAll, Data::Singles, Data::Singles,
             Data::Singles, [&] {
               const auto d = m.front(0, phase != 0);
               m.amp32(0, units, phase, operands[0],
                       phase % 2 == 0 ? partials32() : std::array<Word, 4>{});
               return given32(d);
             });
      expect("f32sisov2amp", "$a4:5, $a0, $a2:3", imm, 2 * 8 * kUnitsOfAll, Data::Singles,
             Data::Singles, Data::Singles, [&] {
               const unsigned late = (phase + 7) % 8;
               const auto d = phase % 2 == 0 ? m.front(0, phase != 0) : m.front(1, late != 0);
               const auto partials = partials32();
               m.amp32(0, units, phase, operands[0], partials);
               m.amp32(1, units, late, m.tas, partials);
               m.tas = operands[0];
               return given32(d);
             });
      ASSERT_FALSE(HasFatalFailure());
    }
}

TEST_F(MatrixTable, ConvolvesSingles) {
  for (const unsigned engines : {4U, 3U})
    for (unsigned group = 0; group < 4; ++group)
      for (unsigned phase = 0; phase < 2; ++phase) {
        const Word imm = slicImmediate(engines, group, phase);
        const unsigned units = 2 * engines;
        expect("f32sisoslic", "$a4:5, $a0, $a2:3", imm, 4 * 2 * (8 + 6), Data::Singles,
               Data::Singles, Data::Singles, [&] {
                 const auto d = m.front(0, false);
                 m.slic32(0, units, group, phase, operands[0],
                          phase == 0 ? partials32() : std::array<Word, 4>{});
                 return given32(d);
               });
        expect("f32sisov2slic", "$a4:5, $a0, $a2:3", imm, 2 * 4 * 2 * (8 + 6), Data::Singles,
               Data::Singles, Data::Singles, [&] {
                 const auto d = m.front(phase, false);
                 const auto partials = partials32();
                 m.slic32(0, units, group, phase, operands[0], partials);
                 m.slic32(1, units, group, 1 - phase, m.tas, partials);
                 m.tas = operands[0];
                 return given32(d);
               });
        ASSERT_FALSE(HasFatalFailure());
      }
}

TEST_F(MatrixTable, MultipliesAndConvolvesQuarters) {
  constexpr int kProductsOfQuarters = 4 * 4 * (2 * 8) * (8 + 4); // formats, scales, sets, units
  for (m.format = 0; m.format < 4; ++m.format)
    for (const int scale : {0, 4, -32, 31})
      for (const unsigned engines : {4U, 2U}) {
        m.scale = scale;
        const unsigned phase = m.format, group = 3 - m.format, units = 2 * engines;
        SCOPED_TRACE(m.format);
        SCOPED_TRACE(scale);
        expect("f8v8hihov4amp", "$a4:5, $a0:1, $a2:3", ampImmediate(engines, phase),
               kProductsOfQuarters, Data::Halves, Data::Halves, Data::Halves, [&] {
                 const auto first = m.front(0, phase != 0), second = m.front(1, phase != 0);
                 m.amp(2, units, phase, x(), partials16(4), true);
                 return given16({first, second});
               });
        expect("f8v8hihov4slic", "$a4:5, $a0:1, $a2:3", slicImmediate(engines, group, 0),
               kProductsOfQuarters, Data::Halves, Data::Halves, Data::Halves, [&] {
                 const auto first = m.front(0, false), second = m.front(1, false);
                 m.slic(2, units, group, x(), partials16(4), true);
                 return given16({first, second});
               });
        ASSERT_FALSE(HasFatalFailure());
      }
}

/// Half results round stochastically on ipu1 and ipu2, not on ipu21.
TEST(MatrixRounding, FollowsTheArchitecture) {
  for (const auto architecture :
       {isa::Architecture::Ipu1, isa::Architecture::Ipu2, isa::Architecture::Ipu21}) {
    test::TestTile t(architecture);
    t.tile.initialControl = kStochastic;
    t.tile.workers[0].prng = {1, 2};
    t.setA(0, 0);
    t.setA(1, 0);
    t.setA(2, 0);
    t.accumulator(1) = 1 + 0x1p-11F; // halfway between two halves, in a delayed value
    ASSERT_EQ(t.run("f16v4hihoamp $a4, $a0:1, $a2, 0x31").fault, nullptr);
    const bool isRandom = t.tile.workers[0].prng.s0 != 1;
    EXPECT_EQ(isRandom, architecture != isa::Architecture::Ipu21);
    EXPECT_TRUE((t.a(4) & 0xFFFF) == 0x3C00 || (isRandom && (t.a(4) & 0xFFFF) == 0x3C01));
  }
}

} // namespace
} // namespace copse::ipud
