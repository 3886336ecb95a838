#include "instruction_loop.hpp"
#include "test_tile.hpp"

#include <gmock/gmock.h>

namespace copse::ipud {
namespace {

using test::TestTile;

/// One instruction: main registers 0 to 3 and aux registers 0 to 3 before, a result register after.
struct InstructionCase {
  const char *name;
  const char *code; ///< leaves its result in $m4, or in $a4:5
  std::vector<std::uint32_t> m, a;
  std::vector<std::uint32_t> result; ///< value of $m4 if `m` is not empty, else of $a4, $a5
  std::uint32_t status;
  std::uint32_t control;
};

const std::uint32_t kNaN = fp::kFixedNaN32;
using test::kNanoo;

std::uint32_t bits(float f) { return fp::asBits(f); }

const InstructionCase kInstructionCases[] = {
    {"AbsOfTheLeast", "abs $m4, $m0", {0x80000000}, {}, {0}, 0, 0},
    {"AbsOfMinusOne", "abs $m4, $m0", {0xFFFFFFFF}, {}, {1}, 0, 0},
    {"ShiftByMoreThan31", "shl $m4, $m0, $m1", {1, 33}, {}, {2}, 0, 0},
    {"ShiftRightBy32", "shr $m4, $m0, $m1", {0x80000000, 32}, {}, {0x80000000}, 0, 0},
    {"ShiftArithmeticallyBy63", "shrs $m4, $m0, $m1", {0x80000000, 63}, {}, {0xFFFFFFFF}, 0, 0},
    {"SubtractFromImmediate", "sub $m4, 18, $m0", {5}, {}, {13}, 0, 0},
    {"CmsOfZero", "cms $m4, $m0", {0}, {}, {31}, 0, 0},
    {"CmsOfMinusOne", "cms $m4, $m0", {0xFFFFFFFF}, {}, {31}, 0, 0},
    {"CmsOfOne", "cms $m4, $m0", {1}, {}, {30}, 0, 0},
    {"CmsOfTheLeast", "cms $m4, $m0", {0x80000000}, {}, {0}, 0, 0},
    {"MoveIfNotZero", "mov $m4, $m1\nmovz $m4, $m2, $m0", {7, 9, 0}, {}, {9}, 0, 0},
    {"Swap8", "swap8 $m4, $m0", {0x44332211}, {}, {0x33441122}, 0, 0},
    {"Sort8", "sort8 $m4, $m0", {0x44332211}, {}, {0x44223311}, 0, 0},
    {"Roll8l", "roll8l $m4, $m0, $m1", {0x44332211, 0x88776655}, {}, {0x77665544}, 0, 0},
    {"Roll8r", "roll8r $m4, $m0, $m1", {0x44332211, 0x88776655}, {}, {0x55443322}, 0, 0},
    {"Bitrev8", "bitrev8 $m4, $m0", {0x01020480}, {}, {0x80402001}, 0, 0},
    {"CountDownStopsAtZero", "brnzdec $m0, 1f\n1:\nmov $m4, $m0", {0}, {}, {0}, 0, 0},
    {"Toi32TiesToEven", "f32toi32 $a4, $a0", {}, {bits(2.5F)}, {2}, 0, 0},
    {"Toi32TiesToEvenUp", "f32toi32 $a4, $a0", {}, {bits(3.5F)}, {4}, 0, 0},
    {"Toi32OfNegative", "f32toi32 $a4, $a0", {}, {bits(-2.5F)}, {0xFFFFFFFE}, 0, 0},
    {"Toi32OfTooMuch", "f32toi32 $a4, $a0", {}, {bits(3e9F)}, {0x80000000}, 1, 0},
    {"Toi32OfNaN", "f32toi32 $a4, $a0", {}, {0x7FC00000}, {0x80000000}, 1, 0},
    {"Toui32OfAlmostZero", "f32toui32 $a4, $a0", {}, {bits(-0.25F)}, {0}, 0, 0},
    {"Toui32OfNegative", "f32toui32 $a4, $a0", {}, {bits(-1.0F)}, {0}, 1, 0},
    {"Toui32OfMuch", "f32toui32 $a4, $a0", {}, {bits(4294967040.0F)}, {0xFFFFFF00}, 0, 0},
    {"Toui32OfTooMuch", "f32toui32 $a4, $a0", {}, {bits(4294967296.0F)}, {0}, 1, 0},
    {"IntNearest", "f32int $a4, $a0, 0", {}, {bits(2.5F)}, {bits(2)}, 0, 0},
    {"IntUp", "f32int $a4, $a0, 1", {}, {bits(2.5F)}, {bits(3)}, 0, 0},
    {"IntDown", "f32int $a4, $a0, 2", {}, {bits(2.5F)}, {bits(2)}, 0, 0},
    {"IntTowardZero", "f32int $a4, $a0, 3", {}, {bits(2.5F)}, {bits(2)}, 0, 0},
    {"IntTiesAway", "f32int $a4, $a0, 4", {}, {bits(2.5F)}, {bits(3)}, 0, 0},
    {"Maxc", "f16v2maxc $a4, $a0", {}, {0x40003C00}, {0x4000}, 0, 0},
    {"MaxOfZeros", "f32max $a4, $a0, $a1", {}, {0x80000000, 0}, {0}, 0, 0},
    {"MaxIgnoresAQuietNaN", "f32max $a4, $a0, $a1", {}, {0x7FC00000, bits(1)}, {bits(1)}, 0, 0},
    {"MaxOfASignallingNaN", "f32max $a4, $a0, $a1", {}, {0x7F800001, bits(1)}, {kNaN}, 1, 0},
    {"ClampBetweenSwappedLimits",
     "f32clamp $a4, $a0, $a2:3",
     {},
     {bits(0.5F), 0, bits(2), bits(1)},
     {bits(2)},
     0,
     0},
    {"ClampAboveSwappedLimits",
     "f32clamp $a4, $a0, $a2:3",
     {},
     {bits(3), 0, bits(2), bits(1)},
     {bits(1)},
     0,
     0},
    {"AddInfinities", "f32add $a4, $a0, $a1", {}, {0x7F800000, 0xFF800000}, {kNaN}, 1, 0},
    {"AddAQuietNaN", "f32add $a4, $a0, $a1", {}, {0x7FC00001, bits(1)}, {kNaN}, 0, 0},
    {"AddADenormal", "f32add $a4, $a0, $a1", {}, {0x00800000, 0x80600000}, {0x00800000}, 0, 0},
    {"AddPairs",
     "f32v2add $a4:5, $a0:1, $a2:3",
     {},
     {bits(1), 0x7F7FFFFF, bits(2), 0x7F7FFFFF},
     {bits(3), 0x7F800000},
     4,
     0},
    {"AddBroadcast",
     "f32v2add $a4:5, $a0:B, $a2:3",
     {},
     {bits(1), 0, bits(2), bits(3)},
     {bits(3), bits(4)},
     0,
     0},
    {"MultiplyToZero", "f32mul $a4, $a0, $a1", {}, {0x00800000, bits(-0.5F)}, {0x80000000}, 0, 0},
    {"MultiplyADenormal", "f32mul $a4, $a0, $a1", {}, {0x00400000, 0x7F000000}, {0}, 0, 0},
    {"AddHalves", "f16v2add $a4, $a0, $a1", {}, {0x3C007C00, 0x3C003C00}, {0x40007ECE}, 1, 0},
    {"AddToTooMuch", "f16v2add $a4, $a0, $a1", {}, {0x7BFF7BFF, 0x7BFF7BFF}, {0x7BFF7BFF}, 4, 0},
    {"AddToNaN", "f16v2add $a4, $a0, $a1", {}, {0x7BFF, 0x7BFF}, {0x7ECE}, 5, kNanoo},
    {"LogarithmOfZero", "f16v2ln $a4, $a0", {}, {0x3C000000}, {0x0000FBFF}, 2, 0},
    {"LogarithmOfZeroAsNaN", "f16v2ln $a4, $a0", {}, {0x3C000000}, {0x00007ECE}, 2, kNanoo},
    {"ReciprocalRootOfMinusZero", "f32oorx $a4, $a0", {}, {0x80000000}, {0xFF800000}, 2, 0},
    {"ReciprocalRootOfInfinity", "f32oorx $a4, $a0", {}, {0x7F800000}, {0}, 0, 0},
    {"ReciprocalRootOfNegative", "f32oorx $a4, $a0", {}, {bits(-1)}, {kNaN}, 1, 0},
    {"CentredHalves", "f16v2sufromui $a4, $a0", {}, {0x7FFF0000}, {0x8080B800}, 0, 0},
    {"CentredHalvesUp", "f16v2sufromui $a4, $a0", {}, {0xFFFF8000}, {0x38000080}, 0, 0},
    {"CentredSingles",
     "f32v2sufromui $a4:5, $a0:1",
     {},
     {0x7FFFFFFF, 0x80000000},
     {0xAF000000, 0x2F000000},
     0,
     0},
    {"Classes", "f16v4class $a4, $a0:1", {}, {0x7C018000, 0x80007E00}, {0x05020105}, 0, 0},
    {"DivideByZero", "f32div $a4, $a0, $a1", {}, {bits(1), 0}, {0x7F800000}, 2, 0},
    {"NarrowInBoth", "f32tof16 $a4, $a0", {}, {bits(1)}, {0x3C003C00}, 0, 0},
    {"NarrowInfinity", "f32tof16 $a4, $a0", {}, {0x7F800000}, {0x7ECE7ECE}, 1, 0},
    {"WidenInfinity", "f16tof32 $a4, $a0", {}, {0x7C00}, {0x7F800000}, 0, 0},
    {"CompareNaN", "f32cmpne $a4, $a0, $a1", {}, {0x7FC00000, 0}, {0xFFFFFFFF}, 1, 0},
    {"BroadcastUpper",
     "f16v2mul $a4, $a0:BU, $a1",
     {},
     {0x40003C00, 0x44003C00},
     {0x48004000},
     0,
     0},
};
void PrintTo(const InstructionCase &c, std::ostream *out) { *out << c.name; }
class TileInstructions : public ::testing::TestWithParam<InstructionCase> {};
TEST_P(TileInstructions, ComputeTheirResult) {
  const auto &c = GetParam();
  TestTile t;
  for (unsigned i = 0; i < c.m.size(); ++i)
    t.setM(i, c.m[i]);
  for (unsigned i = 0; i < c.a.size(); ++i)
    t.setA(i, c.a[i]);
  t.tile.initialControl = c.control;
  const auto result = t.run(std::string(c.code));
  ASSERT_EQ(result.fault, nullptr);
  for (unsigned i = 0; i < c.result.size(); ++i)
    EXPECT_EQ(c.m.empty() ? t.a(4 + i) : t.m(4 + i), c.result[i]);
  EXPECT_EQ(t.status(), c.status);
}
INSTANTIATE_TEST_SUITE_P(Cases, TileInstructions, ::testing::ValuesIn(kInstructionCases),
                         [](const auto &p) { return p.param.name; });

class TileRandom : public ::testing::Test {
protected:
  TestTile t;
  std::uint64_t pair(const std::string &code, bool stochastic = false) {
    const auto control = stochastic ? "setzi $a7, 0x80000\nuput $FP_CTL, $a7\n" : "";
    t.setA(6, 0x12345678);
    EXPECT_EQ(t.run("uput $PRNG_SEED, $a6\n" + (control + code)).fault, nullptr);
    return std::uint64_t{t.a(5)} << 32 | t.a(4);
  }
};
TEST_F(TileRandom, NumbersFollowTheSeed) {
  EXPECT_EQ(pair("urand32 $a4") & 0xFFFFFFFF, 0x94E33330U);
  EXPECT_EQ(pair("urand64 $a4:5"), 0x46F88BDD94E33330U);
  EXPECT_EQ(pair("f32v2grand $a4:5"), 0xBF7000003E000000U);
  EXPECT_EQ(pair("f16v2grand $a4") & 0xFFFFFFFF, 0xBB803000U);
}
TEST_F(TileRandom, MasksKeepTheRightElements) {
  t.setA(0, 0x22221111);
  t.setA(1, 0x44443333);
  t.setA(2, 0x8000);
  EXPECT_EQ(pair("f16v4rmask $a4:5, $a0:1, $a2"), 0x4444000000001111U);
  EXPECT_EQ(pair("f32v2rmask $a4:5, $a0:1, $a2"), 0x0000000022221111U);
  t.setA(2, 0x10000);
  EXPECT_EQ(pair("f16v4rmask $a4:5, $a0:1, $a2"), 0x4444333322221111U);
  t.setA(2, 0);
  EXPECT_EQ(pair("f16v4rmask $a4:5, $a0:1, $a2"), 0U);
}
TEST_F(TileRandom, SumsRoundStochastically) {
  t.setA(0, 0x68003C00);
  t.setA(1, 0x3800BC00);
  t.setA(2, 0x3A800F00);
  t.setA(3, 0x0C009100);
  EXPECT_EQ(pair("f16v4add $a4:5, $a0:1, $a2:3"), 0x3800BC0168003C00U);
  EXPECT_EQ(pair("f16v4add $a4:5, $a0:1, $a2:3", true), 0x3800BC0068013C01U);
}

TEST(TileAccumulators, AbsoluteSumsDropTheirSign) {
  TestTile t;
  t.accumulator(0) = -3;
  for (unsigned i = 0; i < 4; ++i)
    t.setA(i, bits(1));
  ASSERT_EQ(t.run("f32v4absacc $a0:3").fault, nullptr);
  EXPECT_EQ(t.accumulator(0), 4.0F);
}
TEST(TileAccumulators, InfinityIsReportedWhenItIsRead) {
  TestTile t;
  t.accumulator(0) = std::numeric_limits<float>::infinity();
  ASSERT_EQ(t.run("f16v4gacc $a4:5").fault, nullptr);
  EXPECT_EQ(t.a(4) & 0xFFFF, 0x7ECEU);
  EXPECT_EQ(t.status(), 5U);
  ASSERT_EQ(t.run("f32v2gina $a4:5, $azeros, 0").fault, nullptr);
  EXPECT_EQ(t.a(4), 0x7F800000U);
  EXPECT_EQ(t.status(), 4U);
}

TEST(TileBundles, BothHalvesReadBeforeEitherWrites) {
  TestTile t;
  t.words(0x54000, {100, 200});
  t.setM(0, 0x54000);
  t.setM(1, 0x58000);
  t.setA(0, 1);
  t.setA(2, 5);
  // The load writes a register that the aux half reads; the store reads one that the aux half
  // writes.
  ASSERT_EQ(t.run("{ ld32 $a0, $m0, $mzero, 0\n or $a1, $a0, $a0 }\n"
                  "{ st32 $a2, $m1, $mzero, 0\n or $a2, $a0, $a0 }")
                .fault,
            nullptr);
  EXPECT_EQ(t.a(0), 100U);
  EXPECT_EQ(t.a(1), 1U);
  EXPECT_EQ(t.a(2), 100U);
  EXPECT_EQ(t.read(0x58000, 1)[0], 5U);
}

TEST(TileBundles, AuxHalvesOfBranchesAreAlwaysExecuted) {
  TestTile t;
  ASSERT_EQ(t.run("{ bri 1f\n setzi $a0, 1 }\nsetzi $a1, 1\n1:\n{ brnz $mzero, 1b\n setzi $a2, 1 }")
                .fault,
            nullptr);
  EXPECT_EQ(t.a(0), 1U);
  EXPECT_EQ(t.a(1), 0U);
  EXPECT_EQ(t.a(2), 1U);
}

TEST(TileRegisters, IgnoreWritesIfTheyAreReadOnly) {
  TestTile t;
  t.setM(0, 0x54000);
  t.words(0x54000, {7, 8, 9, 10});
  ASSERT_EQ(t.run("ld32 $m15, $m0, $mzero, 0\nsetzi $m12, 3\nld64 $a14:15, $m0, $mzero, 0\n"
                  "mov $m4, $mzero\nmov $a4, $azero\nsetzi $a9, 5\nmov $a5, $a9")
                .fault,
            nullptr);
  EXPECT_EQ(t.m(4), 0U);
  EXPECT_EQ(t.a(4), 0U);
  EXPECT_EQ(t.a(5), 0U);
}

TEST(TileCode, CanBeLongerThanAPageAndCallFunctions) {
  TestTile t;
  std::string source = "call $lr, 9f\nbri 8f\n";
  for (int i = 0; i < 1200; ++i)
    source += "add $m0, $m0, 1\n";
  source += "8:\nadd $m1, $m0, 1\nbri 7f\n9:\nsetzi $m0, 41\nbr $lr\n7:\n";
  const auto result = t.run(source);
  ASSERT_EQ(result.fault, nullptr);
  EXPECT_EQ(t.m(1), 42U);
  EXPECT_EQ(result.issues, 7U);
}

TEST(TileCode, RepeatsOverTheEndOfAPage) {
  for (const int before : {1010, 1020, 1022}) {
    TestTile t;
    std::string source;
    for (int i = 0; i < before; ++i)
      source += "nop\n";
    source += "setzi $m0, 0\nrpt 10, 3\n.align 8\n";
    std::string body = "{ add $m0, $m0, 1\n fnop }\n";
    source += body + body + body + body;
    if (before % 2 != 0)
      source = "nop\n" + source;
    const auto result = t.run(source);
    ASSERT_EQ(result.fault, nullptr) << isa::nameOf(result.fault->type);
    EXPECT_EQ(t.m(0), 40U);
  }
}

TEST(TileCode, CountsItsCycles) {
  TestTile t;
  ASSERT_EQ(t.run("get $m0, $COUNT_L\nnop\nf32exp $a0, $azero\nget $m1, $COUNT_L").fault, nullptr);
  EXPECT_EQ(t.m(1) - t.m(0), 6 * 5U);
}

} // namespace
} // namespace copse::ipud
