#include "accumulator_model.hpp"
#include "instruction_loop.hpp"

namespace copse::ipud {
namespace {

using model::Accumulators;
using model::Word;
using test::kStochastic;
using test::TestTile;

/// The state that an instruction reads and writes: registers $a0 to $a3, $TAS, accumulators.
struct State {
  std::array<Word, 4> a{};
  Word tas = 0;
  Accumulators acc{};
  Word flags = 0;
  std::uint64_t result = 0; ///< $a4:5, or the half of it that is written

  Word half(unsigned i) const { return a[i / 2] >> (16 * (i % 2)) & 0xFFFF; }
};

/// How many random operands each instruction that computes is tested with, for each of its
/// operands.
const int kOperands = static_cast<int>(test::operandsOf(1'000'000));
/// Instructions that only move bits need fewer operands.
constexpr int kMoves = 33;

/// Runs one instruction from given states and compares the result with its definition.
class AccumulatorTable : public ::testing::Test {
protected:
  enum class Kind { Singles, Halves };

  /// \param elements  of an operand, times the forms in which the instruction is run: each form is
  ///   tested with a part of the operands
  template <class Definition>
  void expect(const std::string &text, Kind kind, unsigned resultBits, int elements,
              Definition definition, Word control = 0) {
    SCOPED_TRACE(text);
    tile.assemble(".worker\n" + text + "\nexitz $mzero\n");
    tile.tile.initialControl = control;
    tile.tile.workers[0].prng = {7, 9};
    generator = {7, 9};
    for (int turn = 0; turn * elements < kOperands; ++turn) {
      State s = made(kind);
      set(s);
      ASSERT_EQ(tile.run().fault, nullptr);
      definition(s);
      compare(s, resultBits);
      if (HasFatalFailure())
        return;
    }
  }

  TestTile tile{isa::Architecture::Ipu21};
  model::Generator generator{7, 9};

private:
  State made(Kind kind) {
    State s;
    for (Word &a : s.a)
      a = kind == Kind::Singles ? value() : source_.half() | Word{source_.half()} << 16;
    s.tas = kind == Kind::Singles ? value() : source_.half() | Word{source_.half()} << 16;
    for (Word &acc : s.acc)
      acc = settled(value());
    return s;
  }
  /// Accumulators hold no denormals and no NaN but the fixed one.
  static Word settled(Word x) {
    if (model::isNaN(x))
      return model::kNaN32;
    return (x & 0x7F800000) == 0 ? x & 0x80000000 : x;
  }
  Word value() { return source_.single(); }

  void set(const State &s) {
    for (unsigned i = 0; i < 4; ++i)
      tile.setA(i, s.a[i]);
    tile.setA(4, 0);
    tile.setA(5, 0);
    tile.tile.workers[0].tas = s.tas;
    for (unsigned i = 0; i < s.acc.size(); ++i)
      tile.accumulator(i) = std::bit_cast<float>(s.acc[i]);
  }
  void compare(const State &s, unsigned resultBits) {
    for (unsigned i = 0; i < s.acc.size(); ++i)
      if (fp::asBits(tile.accumulator(i)) != s.acc[i]) {
        ASSERT_EQ(fp::asBits(tile.accumulator(i)), s.acc[i]) << "accumulator " << i;
      }
    ASSERT_EQ(tile.status(), s.flags);
    if (resultBits > 0) {
      ASSERT_EQ(tile.a(4), s.result & 0xFFFFFFFF);
    }
    if (resultBits > 32) {
      ASSERT_EQ(tile.a(5), s.result >> 32);
    }
  }

  test::OperandSource source_;
};

Word magnitude(Word x) { return x & 0x7FFFFFFF; }

/// Adds element i of a source to accumulator 2i.
template <class Term> void accumulate(State &s, unsigned count, bool halves, Term term) {
  for (unsigned i = 0; i < count; ++i) {
    const Word x = halves ? model::taken16(s.half(i), s.flags) : model::taken(s.a[i], s.flags);
    s.acc[2 * i] = term(s.acc[2 * i], x, s.flags);
  }
}

TEST_F(AccumulatorTable, SumsElements) {
  const auto plain = [](Word acc, Word x, Word &) { return model::added(acc, x); };
  const auto absolute = [](Word acc, Word x, Word &) {
    return model::isNaN(x) ? model::kNaN32 : model::added(magnitude(acc), magnitude(x));
  };
  const auto squares = [](Word acc, Word x, Word &flags) {
    return model::added(acc, model::product(x, x, flags));
  };
  const auto with = [](unsigned count, bool halves, auto term) {
    return [=](State &s) { accumulate(s, count, halves, term); };
  };
  expect("f32v4acc $a0:3", Kind::Singles, 0, 4, with(4, false, plain));
  expect("f32v4absacc $a0:3", Kind::Singles, 0, 4, with(4, false, absolute));
  expect("f32v4sqacc $a0:3", Kind::Singles, 0, 4, with(4, false, squares));
  expect("f16v4acc $a0:1", Kind::Halves, 0, 4, with(4, true, plain));
  expect("f16v8acc $a0:3", Kind::Halves, 0, 8, with(8, true, plain));
  expect("f16v4absacc $a0:1", Kind::Halves, 0, 4, with(4, true, absolute));
  expect("f16v8absacc $a0:3", Kind::Halves, 0, 8, with(8, true, absolute));
  expect("f16v8sqacc $a0:3", Kind::Halves, 0, 8, with(8, true, squares));
}

TEST_F(AccumulatorTable, SumsProducts) {
  const auto add = [](State &s, unsigned to, Word x, Word y) {
    s.acc[to] = model::added(s.acc[to], model::product(x, y, s.flags));
  };
  expect("f32mac $a0, $a1", Kind::Singles, 0, 1, [&](State &s) { add(s, 0, s.a[0], s.a[1]); });
  expect("f32v2mac $a0:1, $a2:3", Kind::Singles, 0, 2, [&](State &s) {
    add(s, 0, s.a[0], s.a[2]);
    add(s, 2, s.a[1], s.a[3]);
  });
  expect("f32v2aop $a0:1, $a2:3, 0", Kind::Singles, 0, 2, [&](State &s) {
    add(s, 0, s.a[0], s.a[2]);
    add(s, 2, s.a[1], s.a[2]);
    add(s, 4, s.a[0], s.a[3]);
    add(s, 6, s.a[1], s.a[3]);
  });
}

TEST_F(AccumulatorTable, SumsDotProducts) {
  const auto add = [](State &s, unsigned to, unsigned x, unsigned y) {
    s.acc[to] = model::added(
        s.acc[to], model::dot<2>({s.half(x), s.half(x + 1)}, {s.half(y), s.half(y + 1)}, s.flags));
  };
  expect("f16v2cmac $a0, $a1", Kind::Halves, 0, 2, [&](State &s) { add(s, 0, 0, 2); });
  expect("f16v4cmac $a0:1, $a2:3", Kind::Halves, 0, 4, [&](State &s) {
    add(s, 0, 0, 4);
    add(s, 2, 2, 6);
  });
}

TEST_F(AccumulatorTable, ScalesAndAddsInAPipeline) {
  expect("f32v2axpy $a4:5, $a0:1, $a2:3", Kind::Singles, 64, 2, [](State &s) {
    s.result =
        std::uint64_t{model::given(s.acc[2], s.flags)} << 32 | model::given(s.acc[0], s.flags);
    for (unsigned i = 0; i < 2; ++i)
      s.acc[2 * i] =
          model::added(model::product(s.tas, s.a[i], s.flags), model::taken(s.a[2 + i], s.flags));
  });
  for (const bool stochastic : {false, true})
    expect(
        "f16v4mix $a4:5, $a0:1, $a2:3", Kind::Halves, 64, 2 * 4,
        [&](State &s) {
          const auto draw = stochastic ? generator.advance() : model::Generator::Draw{};
          for (unsigned i = 0; i < 4; ++i) {
            s.result |= std::uint64_t{model::given16(s.acc[2 * i], s.flags,
                                                     stochastic ? &draw : nullptr, i)}
                        << (16 * i);
            s.acc[2 * i] =
                model::dot<2>({s.tas & 0xFFFF, s.tas >> 16}, {s.half(i), s.half(4 + i)}, s.flags);
          }
        },
        stochastic ? kStochastic : 0);
}

/// Shifts the chain along which `gina` moves values: every other accumulator of a set.
template <class In> void shiftChain(State &s, unsigned first, In in) {
  for (unsigned i = 0; i < 6; ++i)
    s.acc[first + 2 * i] = s.acc[first + 2 * i + 4];
  s.acc[first + 12] = in(0);
  s.acc[first + 14] = in(1);
}

TEST_F(AccumulatorTable, MovesValuesAlongAChain) {
  for (unsigned imm = 0; imm < 4; ++imm) {
    const unsigned first = (imm & 1) + 8 * (imm & 2);
    expect("f32v2gina $a4:5, $a0:1, " + std::to_string(imm), Kind::Singles, 64, 4 * 2,
           [&](State &s) {
             s.result = std::uint64_t{model::given(s.acc[first + 2], s.flags)} << 32 |
                        model::given(s.acc[first], s.flags);
             shiftChain(s, first, [&](unsigned i) { return model::taken(s.a[i], s.flags); });
           });
    for (const bool stochastic : {false, true})
      expect(
          "f16v2gina $a4, $a0, " + std::to_string(imm), Kind::Halves, 32, 8 * 2,
          [&](State &s) {
            const auto draw = stochastic ? generator.advance() : model::Generator::Draw{};
            for (unsigned i = 0; i < 2; ++i)
              s.result |= std::uint64_t{model::given16(s.acc[first + 2 * i], s.flags,
                                                       stochastic ? &draw : nullptr, i)}
                          << (16 * i);
            shiftChain(s, first, [&](unsigned i) { return model::taken16(s.half(i), s.flags); });
          },
          stochastic ? kStochastic : 0);
  }
}

TEST_F(AccumulatorTable, ReturnsFourHalves) {
  for (const bool stochastic : {false, true})
    expect(
        "f16v4gacc $a4:5", Kind::Halves, 64, 2 * 4,
        [&](State &s) {
          const auto draw = stochastic ? generator.advance() : model::Generator::Draw{};
          for (unsigned i = 0; i < 4; ++i)
            s.result |= std::uint64_t{model::given16(s.acc[2 * i], s.flags,
                                                     stochastic ? &draw : nullptr, i)}
                        << (16 * i);
        },
        stochastic ? kStochastic : 0);
}

TEST_F(AccumulatorTable, MovesRawBitsForTransposes) {
  const auto copies = [](State &s, std::initializer_list<std::pair<unsigned, unsigned>> moves) {
    const Accumulators old = s.acc;
    for (const auto &[to, from] : moves)
      s.acc[to] = old[from];
  };
  const auto raw = [](State &s, unsigned lo, unsigned hi) {
    s.result = std::uint64_t{s.acc[hi]} << 32 | s.acc[lo];
  };
  expect("f16v4stacc $a4:5, 0", Kind::Halves, 64, kMoves, [&](State &s) {
    raw(s, 0, 2);
    copies(s, {{1, 4}, {5, 8}, {9, 12}, {3, 6}, {7, 10}, {11, 14}});
  });
  expect("f16v4stacc $a4:5, 1", Kind::Halves, 64, kMoves, [&](State &s) {
    raw(s, 1, 3);
    copies(s, {{1, 5}, {5, 9}, {3, 7}, {7, 11}});
  });
  for (const unsigned phase : {0U, 1U})
    expect("f16v4istacc $a4:5, $a0:1, $a2:3, " + std::to_string(phase), Kind::Halves, 64, kMoves,
           [&](State &s) {
             raw(s, 1, 3);
             if (phase == 0)
               copies(s, {{1, 5}, {3, 7}});
             for (unsigned i = 0; i < 4; ++i)
               s.acc[4 * i + 2 * phase] = s.half(i) | s.half(4 + i) << 16;
           });
}

TEST_F(AccumulatorTable, TransposesFourByFourAsLibrariesDo) {
  tile.assemble(".worker\nf16v4istacc $azeros, $a0:1, $a2:3, 0\nexitz $mzero\n");
  const auto step = [&](const char *text) {
    tile.assemble(std::string(".worker\n") + text + "\nexitz $mzero\n");
    ASSERT_EQ(tile.run().fault, nullptr);
  };
  const auto rows = [&](Word first) { // rows first, first + 1: element j of row i is 0x10*i + j
    for (unsigned k = 0; k < 4; ++k) {
      const Word row = first + k / 2, at = 16 * row + 2 * (k % 2);
      tile.setA(k, at | (at + 1) << 16);
    }
  };
  const auto expectColumn = [&](Word j) {
    EXPECT_EQ(tile.a(4), j | (0x10 + j) << 16);
    EXPECT_EQ(tile.a(5), (0x20 + j) | (0x30 + j) << 16);
  };
  rows(0);
  step("f16v4istacc $azeros, $a0:1, $a2:3, 0");
  rows(2);
  step("f16v4istacc $azeros, $a0:1, $a2:3, 1");
  step("f16v4stacc $a4:5, 0");
  expectColumn(0);
  step("f16v4stacc $a4:5, 1");
  expectColumn(1);
  step("f16v4istacc $a4:5, $azeros, $azeros, 0");
  expectColumn(2);
  step("f16v4istacc $a4:5, $azeros, $azeros, 1");
  expectColumn(3);
}

TEST_F(AccumulatorTable, IsZeroedWithoutTheFlags) {
  for (unsigned i = 0; i < 32; ++i)
    tile.accumulator(i) = 1.5F;
  ASSERT_EQ(tile.run("f32div $a4, $a4, $azero\nsetzi $a0, 8\nuput $FP_CLR, $a0").fault, nullptr);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(tile.accumulator(i), 0.0F);
  EXPECT_NE(tile.status(), 0U);
}

} // namespace
} // namespace copse::ipud
