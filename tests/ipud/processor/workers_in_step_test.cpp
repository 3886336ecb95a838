#include "test_tile.hpp"

#include <gmock/gmock.h>

namespace copse::ipud {
namespace {

using test::kCode;
using test::kVertex;
using test::TestTile;
using ::testing::Each;

constexpr std::uint32_t kNumbers = 0x58000, kWorker = kCode + 0x400, kWords = 60;

/// Puts \p worker at kWorker, and a supervisor that starts it at kCode.
void assemble(TestTile &t, const std::string &worker) {
  t.assemble(".supervisor\nsetzi $m1, work\nrunall $m1, $m0, 0\nsync 2\nbr $lr\n"
             ".fill 252, 4, 0\n.worker\nwork:\n" +
             worker + "exitz $mzero\n");
}

/// Every worker clears each sixth of the words. Two dozen cycles later, each adds 1 to ten words in
/// a row, which six workers have cleared.
constexpr const char *kClearThenAdd = R"(
  get $m0, $WSR
  and $m0, $m0, 7
  setzi $m1, 0x58000
  mul $m2, $m0, 4
  add $m2, $m2, $m1
  setzi $m6, 9
clear:
  st32step $mzero, $mzero, $m2+=, 6
  brnzdec $m6, clear
  setzi $m6, 23
wait:
  brnzdec $m6, wait
  mul $m2, $m0, 40
  add $m2, $m2, $m1
  setzi $m6, 9
add:
  ld32 $m3, $m2, $mzero, 0
  add $m3, $m3, 1
  st32step $m3, $mzero, $m2+=, 1
  brnzdec $m6, add
)";

/// Every worker stores 7, and then the first one adds the six values.
constexpr const char *kGather = R"(
  get $m0, $WSR
  and $m0, $m0, 7
  setzi $m1, 0x58000
  setzi $m2, 7
  stm32 $m2, $m1, $m0
  brnz $m0, end
  setzi $m6, 5
  mov $m5, $m1
sum:
  ld32step $m3, $mzero, $m5+=, 1
  add $m4, $m4, $m3
  brnzdec $m6, sum
  st32 $m4, $m1, $mzero, 6
end:
)";

/// In each of 50 rounds every worker waits for a flag, clears it a dozen instructions later, and
/// counts the round. The first one works longer than the others, and sets the flag for the next
/// round.
constexpr const char *kRounds = R"(
  get $m0, $WSR
  and $m0, $m0, 7
  setzi $m1, 0x58000
  setzi $m6, 49
round:
  ld32 $m2, $m1, $mzero, 8
  brz $m2, round
  mul $m3, $m0, 4
  add $m3, $m1, $m3
  ld32 $m4, $m3, $mzero, 0
  add $m4, $m4, 1
  st32 $m4, $m3, $mzero, 0
  add $m5, $mzero, 1
  add $m5, $m5, 1
  add $m5, $m5, 1
  st32 $mzero, $m1, $mzero, 8
  brnz $m0, next
  {rpt 40, 0; fnop}
  {nop; fnop}
  st32 $m3, $m1, $mzero, 8
next:
  brnzdec $m6, round
)";

class WorkersInStep : public ::testing::TestWithParam<bool> {
protected:
  void run(const char *worker) {
    tile_.words(kNumbers, std::vector<std::uint32_t>(kWords, 99));
    assemble(tile_, worker);
    if (GetParam()) {
      const auto result =
          tile_.processor.runSupervisor(tile_.tile, tile_.base(), 0, kCode, kVertex, 0);
      ASSERT_EQ(result.fault, nullptr) << isa::nameOf(result.fault->type);
      return;
    }
    const auto results =
        tile_.processor.runWorkers(tile_.tile, tile_.base(), 0, kWorkers, {kWorker, kVertex, 0, 0});
    for (const auto &result : results)
      ASSERT_EQ(result.fault, nullptr) << isa::nameOf(result.fault->type);
  }
  TestTile tile_;
};

INSTANTIATE_TEST_SUITE_P(Launched, WorkersInStep, ::testing::Bool(), [](const auto &param) {
  return param.param ? "BySupervisor" : "ForAVertex";
});

TEST_P(WorkersInStep, ClearDataBeforeAnyOfThemAdds) {
  run(kClearThenAdd);
  EXPECT_THAT(tile_.read(kNumbers, kWords), Each(1u));
}

TEST_P(WorkersInStep, StoreBeforeTheFirstOneGathers) {
  run(kGather);
  EXPECT_EQ(tile_.read(kNumbers + 24, 1).front(), 42U);
}

TEST_P(WorkersInStep, WaitForAFlagThatAllOfThemClear) {
  run(kRounds);
  EXPECT_THAT(tile_.read(kNumbers, kWorkers), Each(99u + 50u));
}

// Loops whose iterations are equal until another worker stores something.
const struct LoopCase {
  const char *name;
  const char *code; ///< code of a worker
  bool waits;
} kLoopCases[] = {
    {"LoadAndTest", "l: ld32 $m1, $m0, $mzero, 0\nbrz $m1, l\n", true},
    {"TestOfABit", "l: ldz8 $m1, $m0, $mzero, 3\nand $m1, $m1, 4\nbrnz $m1, l\n", true},
    {"ExitInTheMiddle", "l: ld32 $m1, $m0, $mzero, 0\nbrnz $m1, out\nbri l\nout:\n", true},
    {"SearchesAList", "l: ld32 $m0, $m0, $mzero, 0\nbrnz $m0, l\n", false},
    {"StepsAPointer", "l: ld32step $m1, $mzero, $m0+=, 1\nbrz $m1, l\n", false},
    {"CountsDown", "l: ld32 $m1, $m0, $mzero, 0\nbrnzdec $m2, l\n", false},
    {"Stores", "l: ld32 $m1, $m0, $mzero, 0\nst32 $m3, $m0, $mzero, 1\nbrz $m1, l\n", false},
    {"ReadsTheClock", "l: get $m1, $COUNT_L\nbrz $m1, l\n", false},
    {"TestsAnotherRegister", "l: ld32 $m1, $m0, $mzero, 0\nbrz $m2, l\n", false},
    {"DrawsRandomNumbers", "l: {ld32 $m1, $m0, $mzero, 0; urand32 $a0}\nbrz $m1, l\n", false},
};
class WaitingLoops : public ::testing::TestWithParam<LoopCase> {};
TEST_P(WaitingLoops, AreFound) {
  TestTile t;
  t.assemble(".worker\n.align 8\n" + std::string(GetParam().code) + "exitz $mzero\n");
  EXPECT_EQ(t.cache.page(0, t.base(), false)->hasWaitingLoop, GetParam().waits);
}
INSTANTIATE_TEST_SUITE_P(Bodies, WaitingLoops, ::testing::ValuesIn(kLoopCases),
                         [](const auto &param) { return param.param.name; });

} // namespace
} // namespace copse::ipud
