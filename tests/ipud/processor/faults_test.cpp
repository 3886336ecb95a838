#include "test_tile.hpp"

#include <gmock/gmock.h>

namespace copse::ipud {
namespace {

using isa::Exception;
using test::kCode;
using test::TestTile;

/// An instruction, the contents of the registers, and the exception that it raises.
struct FaultCase {
  const char *name;
  const char *code;
  std::uint32_t m0, m1, m2, m3;
  Exception type;
};
const FaultCase kCases[] = {
    {"MisalignedWord", "ld32 $m4, $m1, $mzero, 0", 0, 0x54002, 0, 0, Exception::InvalidAddress},
    {"MisalignedPair", "ld64 $a0:1, $m1, $mzero, 0", 0, 0x54004, 0, 0, Exception::InvalidAddress},
    {"MisalignedHalf", "ldz16 $m4, $m1, $mzero, 0", 0, 0x54001, 0, 0, Exception::InvalidAddress},
    {"Unpopulated", "ld32 $m4, $mzero, $mzero, 0", 0, 0, 0, 0, Exception::InvalidAddress},
    {"BehindMemory", "st32 $m4, $m1, $mzero, 0", 0, 0xE8000, 0, 0, Exception::InvalidAddress},
    {"LastWord", "st32 $m4, $m1, $mzero, 0", 0, 0xE7FFC, 0, 0, Exception::None},
    {"QuadInPlainMemory", "ld128 $a0:3, $m1, $mzero, 0", 0, 0x54000, 0, 0,
     Exception::InvalidAddress},
    {"QuadInInterleaved", "ld128 $a0:3, $m1, $mzero, 0", 0, 0x80000, 0, 0, Exception::None},
    {"SameParity", "ld2x64pace $a0:1, $a2:3, $m2:3+=, $mzero, 0", 0, 0, 0x80000, 0x80010,
     Exception::Conflict},
    {"OtherParity", "ld2x64pace $a0:1, $a2:3, $m2:3+=, $mzero, 0", 0, 0, 0x80000, 0x80008,
     Exception::None},
    {"OtherElement", "ld2x64pace $a0:1, $a2:3, $m2:3+=, $mzero, 0", 0, 0, 0x80000, 0x88010,
     Exception::None},
    {"JumpToData", "br $m0", 0x80000, 0, 0, 0, Exception::InvalidPc},
    {"JumpIntoAWord", "br $m1", 0, 0x54002, 0, 0, Exception::InvalidPc},
    {"BesideItsCode", "ld32 $m4, $m1, $mzero, 0", 0, 0x4F000, 0, 0, Exception::Conflict},
    {"UnknownCsr", "get $m4, 0x30", 0, 0, 0, 0, Exception::InvalidOperand},
    {"CsrOfTheSupervisor", ".long 0x43048050", 0, 0, 0, 0, Exception::InvalidOperand},
    {"UnknownUpperCsr", "uget $a0, 0x20", 0, 0, 0, 0, Exception::InvalidOperand},
    {"NoInstruction", ".long 0x7f000000", 0, 0, 0, 0, Exception::InvalidInstruction},
    {"HalfABundle", ".long 0x99e00000", 0, 0, 0, 0, Exception::InvalidInstruction},
    {"OneDestinationTwice", ".long 0x46000000", 0, 0, 0x54000, 0x58000, Exception::InvalidOperand},
    {"SupervisorsInstruction", ".long 0x1500f000", 0, 0, 0, 0, Exception::InvalidInstruction},
    {"Trap", "trap 1", 0, 0, 0, 0, Exception::PatchedBreak1},
};
class TileFaults : public ::testing::TestWithParam<FaultCase> {};
TEST_P(TileFaults, StopWithTheirType) {
  const auto &c = GetParam();
  TestTile t;
  t.setM(0, c.m0);
  t.setM(1, c.m1);
  t.setM(2, c.m2);
  t.setM(3, c.m3);
  const auto result = t.run(std::string(c.code));
  if (c.type == Exception::None) {
    EXPECT_EQ(result.fault, nullptr);
    return;
  }
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(isa::nameOf(result.fault->type), isa::nameOf(c.type));
  EXPECT_EQ(result.fault->pc, kCode);
  EXPECT_EQ(result.issues, 1U);
}
INSTANTIATE_TEST_SUITE_P(Cases, TileFaults, ::testing::ValuesIn(kCases),
                         [](const auto &p) { return p.param.name; });

/// Code, the word whose parity is wrong, and the result.
struct ParityCase {
  const char *name;
  const char *code;
  std::uint32_t word;
  Exception type;
  std::uint32_t pc; ///< address of the instruction that stops
};
const ParityCase kParityCases[] = {
    {"Load", "ld32 $m4, $m1, $mzero, 0", 0x54000, Exception::MemoryError, kCode},
    {"LoadBeside", "ld32 $m4, $m1, $mzero, 1", 0x54000, Exception::None, 0},
    {"LoadOfAByteOfTheWord", "ldz8 $m4, $m1, $mzero, 3", 0x54000, Exception::MemoryError, kCode},
    {"UpperHalfOfAPair", "ld64 $a0:1, $m1, $mzero, 0", 0x54004, Exception::MemoryError, kCode},
    {"SecondOfTwoLoads", "ld2x64pace $a0:1, $a2:3, $m2:3+=, $mzero, 0", 0x80008,
     Exception::MemoryError, kCode},
    {"Store", "st32 $m4, $m1, $mzero, 0", 0x54000, Exception::None, 0},
    {"FetchedInstruction", "nop\nnop", kCode + 4, Exception::MemoryError, kCode + 4},
    {"InstructionThatIsJumpedOver", "bri 1f\nnop\n1:", kCode + 4, Exception::None, 0},
    {"SecondHalfOfABundle", "{nop; fnop}", kCode + 4, Exception::MemoryError, kCode},
};
class TileParity : public ::testing::TestWithParam<ParityCase> {};
TEST_P(TileParity, StopsAThreadThatReadsTheWord) {
  const auto &c = GetParam();
  TestTile t;
  const std::vector<std::uint32_t> words{c.word};
  t.processor.setErrors(words);
  t.setM(1, 0x54000);
  t.setM(2, 0x80000);
  t.setM(3, 0x80008);
  const auto result = t.run(std::string(c.code));
  if (c.type == Exception::None) {
    EXPECT_EQ(result.fault, nullptr);
    return;
  }
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(isa::nameOf(result.fault->type), isa::nameOf(c.type));
  EXPECT_EQ(result.fault->pc, c.pc);
  EXPECT_EQ(result.fault->address, c.word);
}
INSTANTIATE_TEST_SUITE_P(Cases, TileParity, ::testing::ValuesIn(kParityCases),
                         [](const auto &p) { return p.param.name; });

TEST(TileFault, NotTakenBranchChecksItsTarget) {
  TestTile t;
  t.setM(0, 1);
  const auto result = t.run(".long 0x13020000"); // brz $m0, 0x80000
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(result.fault->type, Exception::InvalidPc);
}

std::string withControl(unsigned control, const std::string &code) {
  return "setzi $a7, " + std::to_string(control) + "\nuput $FP_CTL, $a7\n" + code;
}

TEST(TileFault, EnabledFloatingPointEventsStopBeforeAnythingIsWritten) {
  for (const unsigned control : {0U, 1U}) {
    TestTile t;
    t.setA(0, 0x7F800000);
    t.setA(1, 0);
    t.setA(2, 0x1234);
    const auto result = t.run(withControl(control, "f32mul $a2, $a0, $a1"));
    EXPECT_EQ(t.status(), 1U);
    if (control == 0) {
      EXPECT_EQ(result.fault, nullptr);
      EXPECT_EQ(t.a(2), fp::kFixedNaN32);
    } else {
      ASSERT_NE(result.fault, nullptr);
      EXPECT_EQ(result.fault->type, Exception::FloatingPoint);
      EXPECT_EQ(t.a(2), 0x1234U);
      EXPECT_EQ(result.fault->pc, kCode + 8);
      EXPECT_EQ(result.issues, 3U);
    }
  }
}

TEST(TileFault, AStoreBesideAFaultReachesMemory) {
  TestTile t;
  t.setM(1, 0x54000);
  t.setM(4, 42);
  t.setA(0, fp::asBits(1.0F));
  const auto result =
      t.run(withControl(2, "{ st32step $m4, $mzero, $m1+=, 1\n f32div $a2, $a0, $azero }"));
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(result.fault->type, Exception::FloatingPoint);
  EXPECT_EQ(t.read(0x54000, 1)[0], 42U);
  EXPECT_EQ(t.m(1), 0x54000U);
  EXPECT_EQ(t.a(2), 0U);
  EXPECT_EQ(t.status(), 2U);
}

TEST(TileFault, AnOverflowOfDivisionStopsWithItsResult) {
  TestTile t;
  t.setA(0, 0x7F7FFFFF);
  t.setA(1, fp::asBits(0.5F));
  const auto result = t.run(withControl(4, "f32div $a2, $a0, $a1"));
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(result.fault->type, Exception::FloatingPoint);
  EXPECT_EQ(t.a(2), 0x7F800000U);
  EXPECT_EQ(result.fault->pc, kCode + 12);
}

TEST(TileFault, AccumulatorsKeepTheirValues) {
  TestTile t;
  t.accumulator(0) = 3;
  t.setA(0, 0x7F800001);
  const auto result = t.run(withControl(1, "f32mac $a0, $a0"));
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(t.accumulator(0), 3.0F);
}

TEST(TileFault, RepeatBodiesHoldNothingButPlainBundles) {
  // rpt 2, 0 at an address after which the next is 8-aligned, then an instruction that is not
  // allowed there.
  for (const std::uint32_t word : {0x19E00000U /* nop alone */, 0x40813001U /* bri */}) {
    TestTile t;
    t.assemble(".worker\n.align 8\nnop\n.long 0x40000200\n.long " + std::to_string(word) +
               "\nnop\nexitz $mzero\n");
    const auto result = t.run();
    ASSERT_NE(result.fault, nullptr);
    EXPECT_EQ(result.fault->type, Exception::InvalidInstruction);
    EXPECT_EQ(result.fault->pc, kCode + 8);
    EXPECT_TRUE(result.fault->inRepeat);
  }
  TestTile t;
  const auto result = t.run(".long 0x40000200\nnop\nnop\nnop");
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(result.fault->type, Exception::InvalidOperand);
}

TEST(TileFault, AWorkerThatNeverExitsReachesItsLimit) {
  TestTile t;
  t.assemble(".worker\n.align 8\n1:\nbri 1b\n");
  const auto result = t.run();
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(result.fault->type, Exception::None);
  EXPECT_GE(result.issues, 1'000'000U);
  EXPECT_LE(result.issues, 1'010'000U);
}

TEST(TileFault, SupervisorChecksWhatItLaunches) {
  const struct {
    std::uint32_t m1, m2;
    Exception type;
  } cases[] = {{0x80000, 0, Exception::InvalidOperand}, {0x4C100, 2, Exception::InvalidOperand}};
  for (const auto &c : cases) {
    TestTile t;
    t.assemble(".supervisor\n.align 8\nsetzi $m1, " + std::to_string(c.m1) + "\nsetzi $m2, " +
               std::to_string(c.m2) + "\nrun $m1, $m2, 0\nbr $lr\n");
    const auto result = t.processor.runSupervisor(t.tile, t.base(), 0, kCode, 0, 0);
    ASSERT_NE(result.fault, nullptr);
    EXPECT_EQ(result.fault->type, c.type);
    EXPECT_EQ(result.fault->context, kSupervisor);
    EXPECT_EQ(result.fault->pc, kCode + 8);
  }
}

TEST(TileFault, SupervisorChecksTheIndexOfWeights) {
  // ld128putcs 1, ld64putcs 64; and the last ones without a fault.
  for (const auto &[word, architecture, good] :
       std::initializer_list<std::tuple<const char *, isa::Architecture, bool>>{
           {"ld128putcs 62", isa::Architecture::Ipu2, true},
           {"ld64putcs 63", isa::Architecture::Ipu2, true},
           {"ld64putcs 31", isa::Architecture::Ipu1, true},
           {"ld128putcs 30", isa::Architecture::Ipu1, true},
           {"ld128putcs 32", isa::Architecture::Ipu1, false},
           {"ld64putcs 32", isa::Architecture::Ipu1, false},
           {".int ODD128", isa::Architecture::Ipu2, false},
           {".int OVER64", isa::Architecture::Ipu2, false}}) {
    TestTile t(architecture);
    const auto wordOf = [](isa::Opcode opcode, std::uint32_t index) {
      return std::to_string(isa::encode({opcode, {index}}));
    };
    t.tile.weightAddress = architecture == isa::Architecture::Ipu1 ? 0x60000 : 0x80000;
    t.assemble(".equ ODD128, " + wordOf(isa::Opcode::Ld128putcs, 1) + "\n.equ OVER64, " +
               wordOf(isa::Opcode::Ld64putcs, 64) + "\n.supervisor\n.align 8\n" + word +
               "\nbr $lr\n");
    const auto result = t.processor.runSupervisor(t.tile, t.base(), 0, kCode, 0, 0);
    EXPECT_EQ(result.fault == nullptr, good) << word;
    if (result.fault) {
      EXPECT_EQ(isa::nameOf(result.fault->type), isa::nameOf(Exception::InvalidOperand)) << word;
    }
  }
}

TEST(TileFault, Mk1DoesNotHaveTheSecondSet) {
  for (const char *code : {"f32sisov2amp $a0:1, $azero, $a2:3, 0",
                           "{ nop\nf16v4hihov4amp $a0:1, $azeros, $a2:3, 0 }"}) {
    TestTile t(isa::Architecture::Ipu1);
    const auto result = t.run("nop\nnop\n" + std::string(code));
    ASSERT_NE(result.fault, nullptr);
    EXPECT_EQ(isa::nameOf(result.fault->type), isa::nameOf(Exception::InvalidInstruction)) << code;
    EXPECT_EQ(result.fault->pc, kCode + 8) << code;
  }
}

TEST(TileFault, AllWorkersAreLaunchedOnlyWhenNoneRuns) {
  TestTile t;
  t.assemble(R"(
.supervisor
.align 8
  setzi $m1, work
  run $m1, $mzero, 0
  runall $m1, $mzero, 0
  br $lr
.worker
.align 8
work:
  nop
  exitz $mzero
)");
  const auto result = t.processor.runSupervisor(t.tile, t.base(), 0, kCode, 0, 0);
  ASSERT_NE(result.fault, nullptr);
  EXPECT_EQ(result.fault->type, Exception::InvalidInstruction);
  EXPECT_EQ(result.fault->pc, kCode + 8);
}

} // namespace
} // namespace copse::ipud
