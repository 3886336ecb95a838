#include "instruction_loop.hpp"
#include "number_model.hpp"

namespace copse::ipud {
namespace {

using test::InstructionLoop;
using Word = std::uint32_t;
using Operands = InstructionLoop::Operands;

constexpr std::uint64_t kState0 = 0x0123456789ABCDEF, kState1 = 0x1122334455667788;
constexpr std::size_t kDraws = 100'000;

/// Runs a random instruction; expected(in, draw) returns $a4:5, of which \p mask is compared.
template <class Expected>
void expectDraws(const std::string &text, std::uint64_t mask, Expected expected) {
  SCOPED_TRACE(text);
  InstructionLoop loop(text, true);
  loop.tile.tile.workers[0].prng = {kState0, kState1};
  model::Generator generator{kState0, kState1};
  test::OperandSource source;
  std::vector<Operands> all(kDraws);
  for (auto &o : all) {
    o = {source.word(), source.word(), source.word() & 0x1FFFF, 0};
    o[2] = source.word() % 8 == 0 ? source.word() % 2 << 16 : o[2]; // all, or none
  }
  loop.run(all, [&](const Operands &in, const auto &out) {
    const std::uint64_t got = (std::uint64_t{out.second} << 32 | out.first) & mask;
    ASSERT_EQ(got, expected(in, generator.advance()) & mask);
    ASSERT_EQ(out.status, 0U);
  });
}

constexpr std::uint64_t kPair = ~std::uint64_t{0}, kOne = 0xFFFFFFFF;

TEST(RandomTable, ReturnsTheBitsOfTheGenerator) {
  expectDraws("urand32 $a4", kOne, [](const auto &, const auto &draw) { return draw.r0; });
  expectDraws("urand64 $a4:5", kPair, [](const auto &, const auto &draw) { return draw.r0; });
}

double normal(std::uint64_t bits) {
  int sum = 0;
  for (int k = 0; k < 12; ++k)
    sum += static_cast<int>(bits >> (5 * k)) & 31;
  return (sum - 186) / 32.0;
}

TEST(RandomTable, ReturnsNormalNumbers) {
  expectDraws("f32v2grand $a4:5", kPair, [](const auto &, const auto &draw) {
    return std::uint64_t{model::singleOf(normal(draw.r1))} << 32 | model::singleOf(normal(draw.r0));
  });
  expectDraws("f16v2grand $a4", kOne, [](const auto &, const auto &draw) {
    return model::halfOf(normal(draw.r1)).bits << 16 | model::halfOf(normal(draw.r0)).bits;
  });
}

TEST(RandomTable, KeepsElementsByChance) {
  const auto kept = [](Word p, std::uint64_t field) {
    return (p & 0x10000) != 0 || (field & 0xFFFF) < (p & 0xFFFF);
  };
  expectDraws("f16v4rmask $a4:5, $a0:1, $a2", kPair, [&](const auto &in, const auto &draw) {
    std::uint64_t result = 0;
    for (unsigned i = 0; i < 4; ++i)
      if (kept(in[2], draw.r0 >> (16 * i)))
        result |= std::uint64_t{in[i / 2] >> (16 * (i % 2)) & 0xFFFF} << (16 * i);
    return result;
  });
  expectDraws("f32v2rmask $a4:5, $a0:1, $a2", kPair, [&](const auto &in, const auto &draw) {
    return (kept(in[2], draw.r0) ? in[0] : 0) |
           (kept(in[2], draw.r0 >> 32) ? std::uint64_t{in[1]} << 32 : 0);
  });
}

TEST(RandomTable, EveryRoundingInstructionAdvancesOnce) {
  // Also with exact results; and instructions that never round stochastically do not.
  const struct {
    const char *text;
    bool advances;
  } cases[] = {
      {"f16v2add $a4, $a0, $a1", true},
      {"f16v4mul $a4:5, $a0:1, $a2:3", true},
      {"f16v4absadd $a4:5, $a0:1, $a2:3", true},
      {"f32tof16 $a4, $a0", true},
      {"f32v4tof16 $a4:5, $a0:3", true},
      {"f16v2gina $a4, $a0, 0", true},
      {"f16v4gacc $a4:5", true},
      {"f16v4mix $a4:5, $a0:1, $a2:3", true},
      {"f16v2tof8 $a4, $a0", true},
      {"f16v8tof8 $a4:5, $a0:3", true},
      {"f16v2max $a4, $a0, $a1", false},
      {"f16v2clamp $a4, $a0, $a1", false},
      {"f16v2exp $a4, $a0", false},
      {"f16v2sum $a4, $a0", false},
      {"f16v2sufromui $a4, $a0", false},
      {"f8v4tof16 $a4:5, $a0", false},
      {"f32add $a4, $a0, $a1", false},
      {"f16v4hihov4amp $a4:5, $a0:1, $a2:3, 0x30", false},
  };
  for (const auto &c : cases)
    for (const Word control : {Word{0}, Word{1} << 19}) {
      test::TestTile t(isa::Architecture::Ipu21);
      t.tile.initialControl = control;
      t.tile.workers[0].prng = {kState0, kState1};
      ASSERT_EQ(t.run(std::string(c.text)).fault, nullptr) << c.text;
      model::Generator generator{kState0, kState1};
      if (c.advances && control != 0)
        generator.advance();
      EXPECT_EQ(t.tile.workers[0].prng.s0, generator.s0) << c.text;
      EXPECT_EQ(t.tile.workers[0].prng.s1, generator.s1) << c.text;
    }
}

TEST(RandomTable, GrandAdvancesWithoutStochasticRounding) {
  test::TestTile t;
  t.tile.workers[0].prng = {kState0, kState1};
  ASSERT_EQ(t.run("f16v2grand $a4").fault, nullptr);
  model::Generator generator{kState0, kState1};
  generator.advance();
  EXPECT_EQ(t.tile.workers[0].prng.s0, generator.s0);
}

TEST(RandomTable, SeedFillsTheWholeState) {
  for (const Word seed : {0U, 1U, 0x12345678U, 0xFFFFFFFFU}) {
    test::TestTile t;
    t.setA(0, seed);
    ASSERT_EQ(t.run("uput $PRNG_SEED, $a0\nuget $a1, $PRNG_0_0\nuget $a2, $PRNG_0_1\n"
                    "uget $a3, $PRNG_1_0\nuget $a4, $PRNG_1_1\nuget $a5, $PRNG_SEED")
                  .fault,
              nullptr);
    EXPECT_EQ(t.a(1), seed);
    EXPECT_EQ(t.a(2), ~seed);
    EXPECT_EQ(t.a(3), seed << 13 | ~seed >> 19);
    EXPECT_EQ(t.a(4), ~seed << 13 | seed >> 19);
    EXPECT_EQ(t.a(5), 0U); // write-only
  }
}

} // namespace
} // namespace copse::ipud
