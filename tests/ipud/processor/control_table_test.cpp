#include "test_tile.hpp"

#include <gmock/gmock.h>

namespace copse::ipud {
namespace {

using isa::Exception;
using test::kCode;
using test::TestTile;
using Word = std::uint32_t;

constexpr Word kValues[] = {0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};

bool isNegative(Word x) { return x >= 0x80000000; }

TEST(ControlTable, BranchesOnTheirCondition) {
  const struct {
    const char *text;
    bool (*taken)(Word);
    bool countsDown;
  } cases[] = {
      {"brz $m0, 1f", [](Word x) { return x == 0; }, false},
      {"brnz $m0, 1f", [](Word x) { return x != 0; }, false},
      {"brneg $m0, 1f", isNegative, false},
      {"brpos $m0, 1f", [](Word x) { return !isNegative(x); }, false},
      {"brnzdec $m0, 1f", [](Word x) { return x != 0; }, true},
      {"bri 1f", [](Word) { return true; }, false},
  };
  for (const auto &c : cases)
    for (const Word x : kValues)
      for (const bool isFar : {false, true}) {
        TestTile t;
        t.setM(0, x);
        t.setM(1, 0);
        const std::string gap = isFar ? ".rept 2000\nnop\n.endr\n" : "";
        const auto result = t.run(std::string(c.text) + "\nsetzi $m1, 1\nbri 1f\n" + gap + "1:");
        ASSERT_EQ(result.fault, nullptr) << c.text;
        EXPECT_EQ(t.m(1), c.taken(x) ? 0U : 1U) << c.text << " " << x;
        EXPECT_EQ(t.m(0), c.countsDown && x != 0 ? x - 1 : x) << c.text << " " << x;
        EXPECT_EQ(result.issues, c.taken(x) ? 2U : 4U) << c.text << " " << x;
      }
}

TEST(ControlTable, ExitsWithTheOutcomeOfTheirTest) {
  const struct {
    const char *mnemonic;
    bool (*status)(Word);
  } cases[] = {
      {"exitz", [](Word x) { return x == 0; }},
      {"exitnz", [](Word x) { return x != 0; }},
      {"exitneg", isNegative},
      {"exitpos", [](Word x) { return !isNegative(x); }},
  };
  for (const auto &c : cases)
    for (const Word x : kValues) {
      TestTile t;
      t.setM(0, x);
      t.assemble(std::string(".worker\n") + c.mnemonic + " $m0\n");
      const auto result = t.run();
      ASSERT_EQ(result.fault, nullptr);
      EXPECT_EQ(result.status, c.status(x)) << c.mnemonic << " " << x;
      EXPECT_EQ(result.issues, 1U);
    }
}

TEST(ControlTable, CallsStoreTheAddressAfterTheBundle) {
  TestTile t;
  ASSERT_EQ(t.run("call $m3, 1f\n1: { call $lr, 2f\nfnop }\n2: mov $m4, $lr").fault, nullptr);
  EXPECT_EQ(t.m(3), kCode + 4);
  EXPECT_EQ(t.m(4), kCode + 12);
}

TEST(ControlTable, ABranchToABundleInAnUpperHalfCostsACycle) {
  for (const bool isUpper : {false, true}) {
    TestTile t;
    const auto result =
        t.run(std::string("bri 1f\n") + (isUpper ? "nop\nnop\n" : "nop\n") + "1: { nop\nfnop }");
    ASSERT_EQ(result.fault, nullptr);
    EXPECT_EQ(result.issues, isUpper ? 4U : 3U);
  }
}

TEST(ControlTable, RepeatsAsOftenAsItsCountSays) {
  const struct {
    isa::Architecture architecture;
    Word count, turns;
  } cases[] = {
      {isa::Architecture::Ipu2, 0, 0},           {isa::Architecture::Ipu2, 1, 1},
      {isa::Architecture::Ipu2, 300, 300},       {isa::Architecture::Ipu2, 0x1000, 0x1000},
      {isa::Architecture::Ipu2, 0xFFFF, 0xFFFF}, {isa::Architecture::Ipu2, 0x10005, 5},
      {isa::Architecture::Ipu1, 0xFFF, 0xFFF},   {isa::Architecture::Ipu1, 0x1007, 7},
      {isa::Architecture::Ipu1, 0x1000, 0},
  };
  for (const auto &c : cases) {
    TestTile t(c.architecture);
    t.setM(0, c.count);
    const auto result = t.run("{ setzi $m1, 0\nfnop }\n{ rpt $m0, 1\nsetzi $a0, 5 }\n"
                              "{ add $m1, $m1, 1\nfnop }\n{ add $m2, $m1, 1\nfnop }");
    ASSERT_EQ(result.fault, nullptr);
    EXPECT_EQ(t.m(1), c.turns);
    EXPECT_EQ(t.a(0), 5U); // the other half of the bundle is executed once, in any case
    EXPECT_EQ(result.issues, 3 + 2 * std::uint64_t{c.turns});
  }
}

TEST(ControlTable, RepeatsHaveBodiesOfUpTo256Bundles) {
  for (const unsigned bundles : {1U, 255U, 256U}) {
    TestTile t;
    t.setM(1, 0);
    const auto result = t.run("nop\nrpt 3000, " + std::to_string(bundles - 1) + "\n.rept " +
                              std::to_string(bundles) + "\n{ add $m1, $m1, 1\nfnop }\n.endr\n");
    ASSERT_EQ(result.fault, nullptr);
    EXPECT_EQ(t.m(1), 3000 * bundles);
  }
}

TEST(ControlTable, TrapsByTheirLowestBit) {
  for (unsigned i = 0; i < 16; ++i) {
    TestTile t;
    const auto result = t.run("nop\ntrap " + std::to_string(i));
    ASSERT_NE(result.fault, nullptr);
    EXPECT_EQ(result.fault->type, i % 2 == 0 ? Exception::PatchedBreak0 : Exception::PatchedBreak1);
    EXPECT_EQ(result.fault->pc, kCode + 4);
  }
}

// Tests the CSRs of a worker.

TEST(ControlTable, WorkersReadTheirCsrs) {
  TestTile t;
  t.tile.workerBase[3] = 0x60000;
  t.assemble(".worker\nget $m0, $PC\nget $m1, $WSR\nget $m2, $VERTEX_BASE\nget $m3, $WORKER_BASE\n"
             "mov $m4, $mvertex_base\nmov $m5, $mworker_base\nget $m6, $COUNT_U\nexitz $mzero\n");
  ASSERT_EQ(t.run(3, 0x50010).fault, nullptr);
  const RegisterFiles &registers = t.tile.workers[3].registers;
  EXPECT_EQ(registers.m(0), kCode);
  EXPECT_EQ(registers.m(1), 3U);
  EXPECT_EQ(registers.m(2), 0x50010U);
  EXPECT_EQ(registers.m(3), 0x60000U);
  EXPECT_EQ(registers.m(4), 0x50010U);
  EXPECT_EQ(registers.m(5), 0x60000U);
  EXPECT_EQ(registers.m(6), 0U);
}

TEST(ControlTable, CsrsKeepTheFieldsThatTheyHave) {
  const struct {
    const char *name;
    Word kept;
  } cases[] = {{"FP_CTL", 0x180007},
               {"TAS", 0xFFFFFFFF},
               {"PRNG_0_0", 0xFFFFFFFF},
               {"FP_SCL", 0x3F},
               {"PRNG_1_1", 0xFFFFFFFF},
               {"FP_NFMT", 2},
               {"FP_STS", 0},
               {"FP_CLR", 0},
               {"PRNG_SEED", 0}};
  for (const auto &c : cases) {
    TestTile t(isa::Architecture::Ipu21);
    t.setA(0, 0xFFFFFFFF);
    const std::string name = c.name;
    ASSERT_EQ(t.run("uput $" + name + ", $a0\nuget $a1, $" + name).fault, nullptr) << name;
    EXPECT_EQ(t.a(1), c.kept) << name;
  }
}

TEST(ControlTable, FlagsClearOneByOne) {
  for (Word clear = 0; clear < 8; ++clear) {
    TestTile t;
    t.setA(0, 0x7F800001); // invalid
    t.setA(1, 0x7F7FFFFF);
    t.setA(2, clear);
    ASSERT_EQ(t.run("f32add $a3, $a0, $a0\nf32add $a3, $a1, $a1\nf32oox $a3, $azero\n"
                    "uget $a4, $FP_STS\nuput $FP_CLR, $a2\nuget $a5, $FP_STS")
                  .fault,
              nullptr);
    EXPECT_EQ(t.a(4), 7U);
    EXPECT_EQ(t.a(5), 7U & ~clear);
  }
}

TEST(ControlTable, CsrsThatDoNotExistStop) {
  using isa::Architecture;
  const struct {
    const char *text;
    Architecture architecture;
    Exception type;
  } cases[] = {
      {"get $m0, 0x30", Architecture::Ipu2, Exception::InvalidOperand},
      {"get $m0, 0x02", Architecture::Ipu2, Exception::None},
      {"get $m0, 0x20", Architecture::Ipu2, Exception::InvalidOperand},
      {"put 0x50, $m0", Architecture::Ipu2, Exception::InvalidOperand},
      {"put 0x01, $m0", Architecture::Ipu2, Exception::None}, // read-only: ignored
      {"put 0x70, $m0", Architecture::Ipu2, Exception::None},
      {"uget $a0, 0x09", Architecture::Ipu2, Exception::InvalidOperand},
      {"uget $a0, 0x09", Architecture::Ipu21, Exception::None},
      {"uput 0x0A, $a0", Architecture::Ipu1, Exception::InvalidOperand},
      {"uput 0x0A, $a0", Architecture::Ipu21, Exception::None},
      {"uput 0x20, $a0", Architecture::Ipu2, Exception::InvalidOperand},
      {"uput 0x00, $a0", Architecture::Ipu2, Exception::None},
  };
  for (const auto &c : cases) {
    TestTile t(c.architecture);
    const auto result = t.run(std::string(c.text));
    EXPECT_EQ(isa::nameOf(result.fault ? result.fault->type : Exception::None), isa::nameOf(c.type))
        << c.text;
  }
}

TEST(ControlTable, ALaunchSetsSomeRegistersAndKeepsOthers) {
  TestTile t;
  t.tile.initialControl = 0x80000;
  t.setA(0, 1);
  ASSERT_EQ(
      t.run("f32oox $a1, $azero\nuput $FP_CTL, $azero\nuput $PRNG_SEED, $a0\nmov $a5, $a0").fault,
      nullptr);
  const auto seeded = t.tile.workers[0].prng.s1;
  ASSERT_EQ(t.run("uget $a2, $FP_STS\nuget $a3, $FP_CTL").fault, nullptr);
  EXPECT_EQ(t.a(2), 0U);
  EXPECT_EQ(t.a(3), 0x80000U);
  EXPECT_EQ(t.tile.workers[0].prng.s1, seeded);
  EXPECT_EQ(t.a(5), 1U);
}

} // namespace
} // namespace copse::ipud
