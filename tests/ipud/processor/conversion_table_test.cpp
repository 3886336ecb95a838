#include "instruction_loop.hpp"
#include "number_model.hpp"

namespace copse::ipud {
namespace {

using model::Outcome;
using test::halfOf;
using test::InstructionLoop;
using test::kStochastic;
using test::OperandSource;
using Word = std::uint32_t;
using Operands = InstructionLoop::Operands;

const std::size_t kManySingles = test::operandsOf(1'000'000);

constexpr std::uint64_t maskOf(unsigned bits) {
  return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::vector<Operands> singles(std::size_t count = kManySingles) {
  OperandSource source;
  std::vector<Operands> all(count);
  for (auto &o : all)
    o = {source.single(), source.single(), source.single(), source.single()};
  return all;
}
/// Returns every half at each position of the first two words, with random others.
std::vector<Operands> everyHalf() {
  OperandSource source;
  std::vector<Operands> all(4 * 0x10000);
  for (Word i = 0; i < all.size(); ++i) {
    const Word h = i & 0xFFFF, other = source.half(), place = i >> 16;
    const Word word = place % 2 == 0 ? other << 16 | h : h << 16 | other;
    all[i] = {place < 2 ? word : source.word(), place < 2 ? source.word() : word, source.word(),
              source.word()};
  }
  return all;
}

/// Runs \p text on \p operands; expected(in) gives the \p bits low bits of the result, and flags.
template <class Expected>
void expectUnary(const std::string &text, unsigned bits, std::span<const Operands> operands,
                 Expected expected, Word control = 0) {
  SCOPED_TRACE(text);
  InstructionLoop loop(text, true);
  loop.tile.tile.initialControl = control;
  loop.tile.tile.workers[0].prng = {3, 5};
  loop.run(operands, [&](const Operands &in, const auto &out) {
    const Outcome o = expected(in);
    ASSERT_EQ(out.both() & maskOf(bits), o.bits) << std::hex << in[0] << " " << in[1];
    ASSERT_EQ(out.status, o.flags) << std::hex << in[0] << " " << in[1];
  });
}

// Conversions between halves and singles:

Outcome widened(Word h) {
  if (model::isNaN16(h))
    return {model::kNaN32, model::isSignalling16(h) ? model::kInvalid : 0};
  return {model::singleOf(model::valueOf16(h)), 0};
}
Outcome narrowed(Word x) {
  if (!model::isFinite(x))
    return {model::kNaN16, model::isSignalling(x) || !model::isNaN(x) ? model::kInvalid : 0};
  return model::halfOf(model::valueOf(x));
}

TEST(ConversionTable, WidensHalves) {
  const auto operands = everyHalf();
  expectUnary("f16tof32 $a4, $a0", 32, operands,
              [](const auto &in) { return widened(halfOf(in, 0)); });
  expectUnary("f16v2tof32 $a4:5, $a0", 64, operands, [](const auto &in) {
    const Outcome lo = widened(halfOf(in, 0)), hi = widened(halfOf(in, 1));
    return Outcome{hi.bits << 32 | lo.bits, lo.flags | hi.flags};
  });
}

TEST(ConversionTable, NarrowsSingles) {
  const auto operands = singles();
  expectUnary("f32tof16 $a4, $a0", 32, operands, [](const auto &in) {
    const Outcome o = narrowed(in[0]);
    return Outcome{o.bits * 0x10001, o.flags};
  });
  for (const unsigned count : {2U, 4U})
    expectUnary(count == 2 ? "f32v2tof16 $a4, $a0:1" : "f32v4tof16 $a4:5, $a0:3", 16 * count,
                operands, [&](const auto &in) {
                  Outcome all;
                  for (unsigned i = 0; i < count; ++i) {
                    const Outcome o = narrowed(in[i]);
                    all.bits |= o.bits << (16 * i);
                    all.flags |= o.flags;
                  }
                  return all;
                });
}

TEST(ConversionTable, NarrowsSinglesStochastically) {
  const auto operands = singles(kManySingles / 4);
  for (const unsigned count : {1U, 2U, 4U}) {
    model::Generator generator{3, 5};
    const char *const text = count == 1   ? "f32tof16 $a4, $a0"
                             : count == 2 ? "f32v2tof16 $a4, $a0:1"
                                          : "f32v4tof16 $a4:5, $a0:3";
    expectUnary(
        text, count == 4 ? 64 : 32, operands,
        [&](const auto &in) {
          const auto draw = generator.advance();
          Outcome all;
          for (unsigned i = 0; i < count; ++i) {
            const Outcome o =
                model::isFinite(in[i]) ? model::stochasticHalf(in[i], draw, i) : narrowed(in[i]);
            all.bits |= o.bits << (16 * i);
            all.flags |= o.flags;
          }
          if (count == 1)
            all.bits *= 0x10001;
          return all;
        },
        kStochastic);
  }
}

// Conversions to and from integers:

Outcome toInteger(Word x, double least, double greatest, Word bad) {
  const double value = std::nearbyint(model::valueOf(x));
  if (!(value >= least && value <= greatest))
    return {bad, model::kInvalid};
  return {static_cast<Word>(static_cast<std::int64_t>(value)), 0};
}

TEST(ConversionTable, ConvertsToAndFromIntegers) {
  const auto operands = singles();
  expectUnary("f32toi32 $a4, $a0", 32, operands, [](const auto &in) {
    return toInteger(in[0], -2147483648.0, 2147483647.0, 0x80000000);
  });
  expectUnary("f32toui32 $a4, $a0", 32, operands,
              [](const auto &in) { return toInteger(in[0], 0, 4294967295.0, 0); });
  expectUnary("f32fromi32 $a4, $a0", 32, operands, [](const auto &in) {
    return Outcome{model::singleOf(static_cast<std::int32_t>(in[0])), 0};
  });
  expectUnary("f32fromui32 $a4, $a0", 32, operands, [](const auto &in) {
    return Outcome{model::singleOf(in[0]), 0};
  });
}

TEST(ConversionTable, RoundsToIntegralNumbers) {
  const auto operands = singles(kManySingles / 4);
  double (*const kModes[])(double) = {
      [](double v) { return std::nearbyint(v); }, [](double v) { return std::ceil(v); },
      [](double v) { return std::floor(v); },     [](double v) { return std::trunc(v); },
      [](double v) { return std::round(v); },
  };
  for (unsigned mode = 0; mode < 16; ++mode)
    expectUnary("f32int $a4, $a0, " + std::to_string(mode), 32, operands, [&](const auto &in) {
      const double v = model::valueOf(in[0]);
      return model::singleResult(std::isfinite(v) ? kModes[mode % 8 < 5 ? mode % 8 : 0](v) : v,
                                 {in[0]});
    });
}

TEST(ConversionTable, CentresRandomBits) {
  const auto operands = singles();
  const auto centred = [](Word u) {
    return model::singleOf((2.0 * u - 4294967295.0) / 8589934592.0);
  };
  const auto centred16 = [](Word u) { return model::halfOf((2.0 * u - 65535.0) / 131072.0).bits; };
  expectUnary("f32sufromui $a4, $a0", 32, operands, [&](const auto &in) {
    return Outcome{centred(in[0]), 0};
  });
  expectUnary("f32v2sufromui $a4:5, $a0:1", 64, operands, [&](const auto &in) {
    return Outcome{std::uint64_t{centred(in[1])} << 32 | centred(in[0]), 0};
  });
  for (const unsigned count : {2U, 4U})
    expectUnary(count == 2 ? "f16v2sufromui $a4, $a0" : "f16v4sufromui $a4:5, $a0:1", 16 * count,
                everyHalf(), [&](const auto &in) {
                  Outcome all;
                  for (unsigned i = 0; i < count; ++i)
                    all.bits |= centred16(halfOf(in, i)) << (16 * i);
                  return all;
                });
}

// Operations within one register or pair:

Outcome sum(Word a, Word b) {
  if (!model::isNumber16(a) || !model::isNumber16(b))
    return {model::kNaN32, model::isError16(a) || model::isError16(b) ? model::kInvalid : 0};
  return {model::singleOf(model::valueOf16(a) + model::valueOf16(b)), 0};
}
Outcome larger(Word a, Word b) {
  if (model::isSignalling16(a) || model::isSignalling16(b))
    return {model::kNaN16, model::kInvalid};
  if (model::isNaN16(a) || model::isNaN16(b))
    return {!model::isNaN16(a) ? a : !model::isNaN16(b) ? b : model::kNaN16, 0};
  const double x = model::valueOf16(a), y = model::valueOf16(b);
  return {x != y ? (x > y ? a : b) : a & b, 0}; // of two zeros: +0 if there is one
}

TEST(ConversionTable, SumsAndComparesWithin) {
  const auto operands = everyHalf();
  expectUnary("f16v2sum $a4, $a0", 32, operands,
              [](const auto &in) { return sum(halfOf(in, 0), halfOf(in, 1)); });
  expectUnary("f16v4sum $a4:5, $a0:1", 64, operands, [](const auto &in) {
    const Outcome lo = sum(halfOf(in, 0), halfOf(in, 1)), hi = sum(halfOf(in, 2), halfOf(in, 3));
    return Outcome{hi.bits << 32 | lo.bits, lo.flags | hi.flags};
  });
  expectUnary("f16v2maxc $a4, $a0", 32, operands,
              [](const auto &in) { return larger(halfOf(in, 0), halfOf(in, 1)); });
  expectUnary("f16v4maxc $a4, $a0:1", 32, operands, [](const auto &in) {
    const Outcome lo = larger(halfOf(in, 0), halfOf(in, 1)),
                  hi = larger(halfOf(in, 2), halfOf(in, 3));
    return Outcome{hi.bits << 16 | lo.bits, lo.flags | hi.flags};
  });
}

Word classOf(bool isNaN, bool isSignalling, double value, double smallestNormal) {
  if (isNaN)
    return isSignalling ? 1 : 2;
  const bool negative = std::signbit(value);
  if (std::isinf(value))
    return negative ? 3 : 8;
  if (value == 0)
    return negative ? 5 : 6;
  return std::fabs(value) < smallestNormal ? (negative ? 9 : 10) : (negative ? 4 : 7);
}
Word class32(Word x) {
  return classOf(model::isNaN(x), model::isSignalling(x), model::valueOf(x), 0);
}
Word class16(Word h) {
  return classOf(model::isNaN16(h), model::isSignalling16(h), model::valueOf16(h), 0x1p-14);
}

TEST(ConversionTable, ClassifiesNumbers) {
  const auto operands = singles();
  expectUnary("f32class $a4, $a0", 32, operands, [](const auto &in) {
    return Outcome{class32(in[0]), 0};
  });
  expectUnary("f32v2class $a4, $a0:1", 32, operands, [](const auto &in) {
    return Outcome{class32(in[0]) | class32(in[1]) << 8, 0};
  });
  for (const unsigned count : {2U, 4U})
    expectUnary(count == 2 ? "f16v2class $a4, $a0" : "f16v4class $a4, $a0:1", 32, everyHalf(),
                [&](const auto &in) {
                  Outcome all;
                  for (unsigned i = 0; i < count; ++i)
                    all.bits |= std::uint64_t{class16(halfOf(in, i))} << (8 * i);
                  return all;
                });
}

// Functions, in long double, which the interpreter does not use:

using Wide = long double;

/// Expects that \p got is \p exact in f32, up to \p ulps roundings.
void expectNear(Word got, Wide exact, double ulps, Word in) {
  const Word nearest = model::singleOf(static_cast<double>(exact));
  if (got == nearest)
    return;
  const Wide size = std::max(std::fabs(exact), static_cast<Wide>(0x1p-126L));
  const Wide ulp = std::ldexp(static_cast<Wide>(1), std::ilogb(size) - 23);
  EXPECT_LE(std::fabs(static_cast<Wide>(model::valueOf(got)) - exact) / ulp, ulps)
      << std::hex << in << " " << got << " " << nearest;
}

const struct Function {
  const char *mnemonic;
  Wide (*exact)(Wide);
  double ulps; ///< 0: correctly rounded
  std::uint64_t cycles;
  bool (*isInvalid)(double); ///< for numbers and infinities
  bool dividesByZero;
} kFunctions[] = {
    {"f32sqrt", [](Wide x) { return std::sqrt(x); }, 0, 5, [](double x) { return x < 0; }, false},
    {"f32oox", [](Wide x) { return 1 / x; }, 0, 3, [](double) { return false; }, true},
    {"f32oorx",
     [](Wide x) {
       return x == 0 ? std::copysign(std::numeric_limits<Wide>::infinity(), x) : 1 / std::sqrt(x);
     },
     1.5, 4, [](double x) { return x < 0; }, true},
    {"f32exp", [](Wide x) { return std::exp(x); }, 1.5, 3, [](double) { return false; }, false},
    {"f32exp2", [](Wide x) { return std::exp2(x); }, 1.5, 3, [](double) { return false; }, false},
    {"f32ln", [](Wide x) { return std::log(x); }, 1.5, 6, [](double x) { return x < 0; }, true},
    {"f32log2", [](Wide x) { return std::log2(x); }, 1.5, 6, [](double x) { return x < 0; }, true},
    {"f32tanh", [](Wide x) { return std::tanh(x); }, 1.5, 5, [](double) { return false; }, false},
    {"f32sigm", [](Wide x) { return 1 / (1 + std::exp(-x)); }, 2.5, 5, [](double) { return false; },
     false},
};

Word flagsOf(const Function &f, Word x, Word result) {
  if (model::isNaN(x))
    return model::isSignalling(x) ? model::kInvalid : 0;
  const double v = model::valueOf(x);
  if (f.isInvalid(v))
    return model::kInvalid;
  if (v == 0 && f.dividesByZero)
    return model::kDivideByZero;
  return std::isfinite(v) && !model::isFinite(result) ? model::kOverflow : 0;
}

TEST(ConversionTable, ComputesFunctionsOfSingles) {
  auto operands = singles();
  // Half of the operands lie where exp and similar functions have results that are neither 0 nor
  // infinite.
  for (std::size_t i = 0; i < operands.size(); i += 2)
    operands[i][0] = (operands[i][0] & 0x81FFFFFF) | 0x3E000000 | (operands[i][1] & 0x06000000);
  for (const Function &f : kFunctions) {
    SCOPED_TRACE(f.mnemonic);
    InstructionLoop loop(std::string(f.mnemonic) + " $a4, $a0", true);
    loop.run(operands, [&](const Operands &in, const auto &out) {
      ASSERT_EQ(out.status, flagsOf(f, in[0], out.first)) << std::hex << in[0];
      const double v = model::valueOf(in[0]);
      if (std::isnan(v) || f.isInvalid(v)) {
        ASSERT_EQ(out.first, model::kNaN32) << std::hex << in[0];
        return;
      }
      const Wide exact = f.exact(v);
      if (f.ulps == 0) {
        ASSERT_EQ(out.first, model::singleOf(static_cast<double>(exact))) << std::hex << in[0];
      } else {
        expectNear(out.first, exact, f.ulps, in[0]);
        ASSERT_FALSE(::testing::Test::HasFailure());
      }
    });
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(ConversionTable, TakesTheDocumentedCycles) {
  for (const Function &f : kFunctions) {
    test::TestTile t;
    const auto result = t.run(std::string(f.mnemonic) + " $a4, $a0");
    EXPECT_EQ(result.issues, 1 + f.cycles) << f.mnemonic;
  }
  for (const auto &[text, cycles] :
       std::initializer_list<std::pair<const char *, std::uint64_t>>{{"f32div $a4, $a0, $a1", 3},
                                                                     {"f16v2exp $a4, $a0", 2},
                                                                     {"f16v2exp2 $a4, $a0", 2},
                                                                     {"f16v2ln $a4, $a0", 2},
                                                                     {"f16v2log2 $a4, $a0", 2},
                                                                     {"f16v2sigm $a4, $a0", 2},
                                                                     {"f16v2tanh $a4, $a0", 1}}) {
    test::TestTile t;
    EXPECT_EQ(t.run(std::string(text)).issues, 1 + cycles) << text;
    // Beside a quick one, a bundle takes as long as its slower half.
    EXPECT_EQ(t.run("{ nop\n" + std::string(text) + "}").issues, 1 + cycles) << text;
  }
}

TEST(ConversionTable, ComputesFunctionsOfHalves) {
  const struct {
    const char *mnemonic;
    Wide (*exact)(Wide);
    bool isLogarithm;
  } cases[] = {
      {"f16v2exp", [](Wide x) { return std::exp(x); }, false},
      {"f16v2exp2", [](Wide x) { return std::exp2(x); }, false},
      {"f16v2ln", [](Wide x) { return std::log(x); }, true},
      {"f16v2log2", [](Wide x) { return std::log2(x); }, true},
      {"f16v2tanh", [](Wide x) { return std::tanh(x); }, false},
      {"f16v2sigm", [](Wide x) { return 1 / (1 + std::exp(-x)); }, false},
  };
  const auto operands = everyHalf();
  for (const auto &c : cases) {
    const auto expected = [&](Word h) -> Outcome {
      const double v = model::valueOf16(h);
      if (!model::isNumber16(h))
        return model::errorResult16({h});
      if (c.isLogarithm && v == 0)
        return {0xFBFF, model::kDivideByZero};
      if (c.isLogarithm && v < 0)
        return {model::kNaN16, model::kInvalid};
      return model::halfOf(static_cast<double>(std::min(c.exact(v), static_cast<Wide>(1e30))));
    };
    expectUnary(std::string(c.mnemonic) + " $a4, $a0", 32, operands, [&](const auto &in) {
      const Outcome lo = expected(halfOf(in, 0)), hi = expected(halfOf(in, 1));
      return Outcome{hi.bits << 16 | lo.bits, lo.flags | hi.flags};
    });
    ASSERT_FALSE(HasFatalFailure());
  }
}

} // namespace
} // namespace copse::ipud
