#include "test_tile.hpp"

#include <gmock/gmock.h>

namespace copse::ipud {
namespace {

using isa::Exception;
using test::kCode;
using test::TestTile;
using ::testing::ElementsAre;
using Word = std::uint32_t;

constexpr Word kOut = 0x58000, kTile = 321;

/// A function of the supervisor, which stores its results at $m7.
struct Supervised {
  explicit Supervised(isa::Architecture architecture = isa::Architecture::Ipu21)
      : tile(architecture) {}
  TestTile tile;

  /// \param workers  code after the function, including labels
  TileProcessor::Result run(const std::string &code, const std::string &workers = "") {
    tile.assemble(".supervisor\n.align 8\nsetzi $m7, 0x58000\n" + code +
                  "\nbr $lr\n.worker\n.align 8\n" + workers);
    return tile.processor.runSupervisor(tile.tile, tile.base(), kTile, kCode, 0, 0x70000);
  }
  std::vector<Word> out(std::size_t count) { return tile.read(kOut, count); }
};

std::string seen(const std::string &csr) {
  return "get $m0, " + csr + "\nst32step $m0, $mzero, $m7+=, 1\n";
}
std::string putAll(const std::string &csr) { return "ldconst $m0, -1\nput " + csr + ", $m0\n"; }

TEST(SupervisorTable, CsrsKeepTheFieldsThatTheyHave) {
  const struct {
    const char *name;
    Word kept;
  } cases[] = {{"$FP_ICTL", 0x180007},     {"$WORKER0_BASE", 0xFFFFF},
               {"$WORKER5_BASE", 0xFFFFF}, {"$CCCSLOAD", 0xFFFFF},
               {"$DBG_DATA", 0xFFFFFFFF},  {"$FP_INFMT", 3},
               {"$FP_ISCL", 0x3F},         {"$TILE_ID", kTile},
               {"$CTXT_STS", 1},           {"$CR", 0}};
  for (const auto &c : cases) {
    Supervised s;
    ASSERT_EQ(s.run(putAll(c.name) + seen(c.name)).fault, nullptr) << c.name;
    EXPECT_EQ(s.out(1)[0], c.kept) << c.name;
  }
}

TEST(SupervisorTable, CsrsThatDoNotExistStop) {
  for (const char *code : {"get $m0, 0x30", "put 0x7F, $m0", "get $m0, 0x04"}) {
    Supervised s;
    const auto result = s.run(code);
    ASSERT_NE(result.fault, nullptr) << code;
    EXPECT_EQ(isa::nameOf(result.fault->type), isa::nameOf(Exception::InvalidOperand)) << code;
    EXPECT_EQ(result.fault->context, kSupervisor);
  }
}

TEST(SupervisorTable, WorkersReceiveItsSettings) {
  Supervised s;
  ASSERT_EQ(
      s.run("setzi $m0, 0x80004\nput $FP_ICTL, $m0\nsetzi $m0, 0x68000\nput $WORKER0_BASE, $m0\n"
            "setzi $m1, work\nsetzi $m2, 0x10\nrun $m1, $m2, 3\nsync 2",
            "work: uget $a0, $FP_CTL\nsetzi $m0, 0x58000\nst32 $a0, $m0, $mzero, 0\n"
            "st32 $mworker_base, $m0, $mzero, 1\nst32 $mvertex_base, $m0, $mzero, 2\n"
            "exitz $mzero\n")
          .fault,
      nullptr);
  EXPECT_THAT(s.out(3), ElementsAre(0x80004U, 0x68000U, 0x4C000U + 0x10 + 3 * 4));
}

TEST(SupervisorTable, LocalConsensusIsTheAndOfAllExits) {
  Supervised s;
  const auto result =
      s.run(seen("$SSR") + "setzi $m1, good\nrunall $m1, $mzero, 0\nsync 2\n" + seen("$SSR") +
                "setzi $m1, bad\nrun $m1, $mzero, 0\nsync 2\n"
                "setzi $m1, good\nrun $m1, $mzero, 0\nsync 2\n" +
                seen("$SSR") + "setzi $m0, 2\nput $CR, $m0\n" + seen("$SSR") +
                "setzi $m0, 1\nput $CR, $m0\n" + seen("$SSR"),
            "good: exitz $mzero\nbad: exitnz $mzero\n");
  ASSERT_EQ(result.fault, nullptr);
  EXPECT_THAT(s.out(5), ElementsAre(1U, 1U, 0U, 1U, 0U));
  EXPECT_FALSE(result.status);
}

TEST(SupervisorTable, RunTakesTheLowestFreeWorkerAndSyncWaitsForAll) {
  Supervised s;
  std::string workers = "work: get $m0, $WSR\nsetzi $m1, 0x5C000\nstm32 $m0, $m1, $m0\n";
  for (int i = 0; i < 50; ++i)
    workers += "nop\n";
  const auto result =
      s.run("setzi $m1, work\nrun $m1, $mzero, 0\nrun $m1, $mzero, 0\n" + seen("$CTXT_STS") +
                "sync 2\n" + seen("$CTXT_STS") + seen("$SCOUNT_L"),
            workers + "exitz $mzero\n");
  ASSERT_EQ(result.fault, nullptr);
  EXPECT_EQ(s.out(2)[0], 1U | 1U << 2 | 1U << 4);
  EXPECT_EQ(s.out(2)[1], 1U);
  EXPECT_THAT(s.tile.read(0x5C000, 3), ElementsAre(0U, 1U, 0U));
  EXPECT_GE(s.out(3)[2], 6 * 54U); // a worker's 54 instructions are over
}

TEST(SupervisorTable, RefusesInstructionsOfWorkers) {
  const auto wordOf = [](isa::Opcode opcode) {
    return ".int " + std::to_string(isa::encode({opcode, {}}));
  };
  const struct {
    std::string code;
    Exception type;
  } cases[] = {
      {wordOf(isa::Opcode::F32add), Exception::InvalidInstruction},
      {wordOf(isa::Opcode::Tapack), Exception::InvalidInstruction},
      {wordOf(isa::Opcode::Exitz), Exception::InvalidInstruction},
      {wordOf(isa::Opcode::RptZ), Exception::InvalidInstruction},
      {wordOf(isa::Opcode::Ld64Z), Exception::InvalidInstruction},
      {wordOf(isa::Opcode::Atom), Exception::InvalidInstruction},
      {".int 0x99e00000, 0x9ad00000", Exception::InvalidInstruction}, // a bundle
      {"sync 3", Exception::InvalidInstruction},                      // barriers are the program's
      {"setzi $m1, 2\nbr $m1", Exception::InvalidPc},
      {"setzi $m1, 0x4C080\nsetzi $m2, 2\nrunall $m1, $m2, 0", Exception::InvalidOperand},
      {"setzi $m1, 0x4C082\nrun $m1, $mzero, 0", Exception::InvalidOperand},
  };
  for (const auto &c : cases) {
    Supervised s;
    const auto result = s.run(c.code);
    ASSERT_NE(result.fault, nullptr) << c.code;
    EXPECT_EQ(isa::nameOf(result.fault->type), isa::nameOf(c.type)) << c.code;
    EXPECT_EQ(result.fault->context, kSupervisor);
  }
}

TEST(SupervisorTable, CannotMoveTheStackOfAWorkerThatRuns) {
  Supervised s;
  const auto result = s.run("setzi $m1, work\nrun $m1, $mzero, 0\nput $WORKER1_BASE, $m1\n"
                            "put $WORKER0_BASE, $m1",
                            "work: nop\nnop\nnop\nexitz $mzero\n");
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(isa::nameOf(result.fault->type), isa::nameOf(Exception::InvalidInstruction));
  EXPECT_EQ(result.fault->pc, kCode + 16); // the second one: worker 1 is free
}

TEST(SupervisorTable, LoadsWeightsAndStepsTheirAddress) {
  Supervised s;
  for (Word i = 0; i < 8; ++i)
    s.tile.words(0x80000 + 4 * i, {0x1000 + i});
  ASSERT_EQ(
      s.run("setzi $m0, 0x80000\nput $CCCSLOAD, $m0\nld64putcs 5\nld64putcs 63\nld128putcs 6\n" +
            seen("$CCCSLOAD"))
          .fault,
      nullptr);
  const auto at = [&](unsigned index) { return s.tile.tile.weights.bits(index / 4, index % 4); };
  EXPECT_EQ(at(5), 0x0000100100001000U);
  EXPECT_EQ(at(63), 0x0000100300001002U);
  EXPECT_EQ(at(6), 0x0000100500001004U);
  EXPECT_EQ(at(7), 0x0000100700001006U);
  EXPECT_EQ(s.out(1)[0], 0x80020U);
  ASSERT_EQ(s.run("setzi $m0, 4\nput $CR, $m0").fault, nullptr); // ZCWEI
  EXPECT_EQ(at(63), 0U);
}

TEST(SupervisorTable, LoadsTheWeightsOfMk1InPairs) {
  Supervised s(isa::Architecture::Ipu1);
  for (Word i = 0; i < 128; ++i)
    s.tile.words(0x60000 + 4 * i, {0x1000 + i});
  std::string loads = "setzi $m0, 0x60000\nput $CCCSLOAD, $m0\n";
  for (int i = 0; i < 32; i += 2)
    loads += "ld128putcs " + std::to_string(i) + "\n";
  ASSERT_EQ(s.run(loads + seen("$CCCSLOAD")).fault, nullptr);
  for (std::uint64_t i = 0; i < 32; ++i)
    EXPECT_EQ(s.tile.tile.weights.bits(static_cast<unsigned>(i) / 4, i % 4),
              (0x1001 + 2 * i) << 32 | (0x1000 + 2 * i));
  EXPECT_EQ(s.out(1)[0], 0x60100U);
}

TEST(SupervisorTable, ResultsTakeSixCycles) {
  // By the parameters of SupervisorTiming: a slot for each instruction, six until a result is
  // available.
  const auto cyclesOf = [](const std::string &code) {
    Supervised s;
    EXPECT_EQ(s.run("get $m5, $SCOUNT_L\n" + code +
                    "\nget $m6, $SCOUNT_L\nsub $m0, $m6, $m5\n"
                    "st32 $m0, $m7, $mzero, 0")
                  .fault,
              nullptr);
    return s.out(1)[0];
  };
  const SupervisorTiming timing;
  EXPECT_EQ(cyclesOf("add $m1, $m1, 1\nadd $m2, $m2, 1"), 3U);
  EXPECT_EQ(cyclesOf("add $m1, $m1, 1\nadd $m1, $m1, 1"), 2 + timing.result);
  EXPECT_EQ(cyclesOf("bri 1f\nnop\n1: "), 1 + timing.jump);
  EXPECT_EQ(cyclesOf("brnz $mzero, 1f\n1: "), 2U);
}

} // namespace
} // namespace copse::ipud
