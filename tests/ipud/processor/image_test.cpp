#include "../one_ipu.hpp"
#include "code_image.hpp"
#include "processor/random.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace copse::ipud {
namespace {

using test::CodeImage;
using test::kData;
using test::kEntry;
using test::kState;
using test::OneIpu;
using test::step;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::Op;

/// Executes *data += 1, as often as the state's second word says; returns true if the sum is not 0.
const char kCountUp[] = R"(
.section .text.work, "ax"
.worker
.align 8
work:
  ld32 $m0, $mvertex_base, $mzero, 0
  ld32 $m1, $mvertex_base, $mzero, 1
  nop
  rpt $m1, 0
  { ld32 $m2, $m0, $mzero, 0
    fnop }
  add $m2, $m2, $m1
  st32 $m2, $m0, $mzero, 0
  exitnz $m2
)";

TEST(TileCodeImage, RunsWorkersOnTheirTiles) {
  CodeImage b(2, kCountUp);
  const auto f = b.tileFunction(wire::CodeKind::Worker);
  b.computeSet("cs");
  b.vertex(0, f, kState, {kData, 3});
  b.vertex(1, f, kState, {kData, 0});
  b.image.computeSets[0].hasResult = true;
  b.image.computeSets[0].result = {0, kData + 64};
  b.program({step(Op::ComputeSet)});
  b.view({0, kData}, 4);
  b.view({1, kData}, 4);
  b.view({0, kData + 64}, 4);
  OneIpu one;
  const auto report = one.run(b.image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  EXPECT_THAT(one.values(0), ElementsAre(3));
  EXPECT_THAT(one.values(1), ElementsAre(0));
  EXPECT_THAT(one.values(2), ElementsAre(0)); // the AND of what they returned
  // 20 to enter, 10 to start the vertex, then six per instruction: 7 and the repeat's 3.
  EXPECT_EQ(report->end.value - report->start.value, 20U + 10 + 6 * 10);
}

TEST(TileCodeImage, MultiVerticesRunOnAllWorkers) {
  CodeImage b(1, R"(
.section .text.work, "ax"
.worker
.align 8
work:
  get $m0, $WSR
  ld32 $m1, $mvertex_base, $mzero, 0
  stm32 $m0, $m1, $m0
  exitz $mzero
)");
  const auto f = b.tileFunction(wire::CodeKind::Worker, true);
  b.computeSet("cs");
  b.vertex(0, f, kState, {kData});
  b.program({step(Op::ComputeSet)});
  b.view({0, kData}, 24);
  OneIpu one;
  const auto report = one.run(b.image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  EXPECT_THAT(one.values(0), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(TileCodeImage, SupervisorsLaunchTheirWorkers) {
  // The worker lies 32 bytes after the supervisor, which gets its state's address in $m0.
  CodeImage b(1, R"(
.section .text.work, "ax"
.supervisor
.align 8
work:
  setzi $m1, 0x4C020
  ld32 $m2, $m0, $mzero, 0
  runall $m1, $m2, 2
  sync 2
  br $lr
  nop
  nop
  nop
.worker
  ld32 $m1, $mvertex_base, $mzero, 0
  add $m1, $m1, 100
  st32 $m1, $mvertex_base, $mzero, 1
  exitz $mzero
)");
  const auto f = b.tileFunction(wire::CodeKind::Supervisor);
  b.computeSet("cs");
  b.vertex(0, f, kState, {kData});
  b.words({0, kData}, {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0});
  b.program({step(Op::ComputeSet)});
  b.view({0, kData}, 48);
  OneIpu one;
  const auto report = one.run(b.image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  EXPECT_THAT(one.values(0), ElementsAre(1, 101, 2, 102, 3, 103, 4, 104, 5, 105, 6, 106));
}

constexpr std::uint32_t kRegisters = 0x58000;

TEST(TileCodeImage, RandomNumbersFollowTheProgramsSeed) {
  CodeImage b(2, R"(
.section .text.work, "ax"
.worker
.align 8
work:
  ld32 $m0, $mvertex_base, $mzero, 0
  urand64 $a0:1
  st64 $a0:1, $m0, $mzero, 0
  exitz $mzero
)");
  const auto f = b.tileFunction(wire::CodeKind::Worker);
  b.image.registers.seeds = {kRegisters, kRegisters};
  b.words({1, kRegisters}, {0x89ABCDEF, 0x01234567, 0x76543210, 0xFEDCBA98});
  b.computeSet("cs");
  b.vertex(1, f, kState, {kData});
  b.program({step(Op::ComputeSet)});
  b.view({1, kData}, 8);
  b.view({1, kRegisters}, 16);
  OneIpu one;
  const auto report = one.run(b.image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  fp::Prng expected{0x0123456789ABCDEF, 0xFEDCBA9876543210};
  const std::uint64_t drawn = expected.advance().r0;
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  EXPECT_THAT(one.values(0), ElementsAre(low(drawn), high(drawn)));
  EXPECT_THAT(one.values(1), ElementsAre(low(expected.s0), high(expected.s0), low(expected.s1),
                                         high(expected.s1)));
}

TEST(TileCodeImage, FloatingPointBehaviourFollowsTheProgram) {
  // The supervisor stores $FP_ICTL and turns on NANOO only.
  CodeImage b(1, R"(
.section .text.work, "ax"
.supervisor
.align 8
work:
  get $m1, $FP_ICTL
  ld32 $m2, $m0, $mzero, 0
  st32 $m1, $m2, $mzero, 0
  setzi $m1, 0x80000
  add $m1, $m1, $m1
  put $FP_ICTL, $m1
  br $lr
)");
  const auto f = b.tileFunction(wire::CodeKind::Supervisor);
  b.image.registers.floatingPoint = {kRegisters};
  b.image.registers.atLoad = 1U << 3 | 1U; // ESR, and INV, which stops nothing here
  b.computeSet("cs");
  b.vertex(0, f, kState, {kData});
  b.program({step(Op::ComputeSet)});
  b.view({0, kData}, 4);
  b.view({0, kRegisters}, 20);
  OneIpu one;
  const auto report = one.run(b.image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  EXPECT_THAT(one.values(0), ElementsAre(0x80000));
  EXPECT_THAT(one.values(1), ElementsAre(0, 0, 0, 0, 1));
}

TEST(TileCodeImage, TracesSupervisorsAndTheirWorkers) {
  for (const bool supervisorAlone : {false, true}) {
    CodeImage b(2, ".section .text.work, \"ax\"\n.supervisor\n.align 8\nwork:\n"
                   "setzi $m1, 0x4C010\nrunall $m1, $mzero, 0\nsync 2\nbr $lr\n.worker\n"
                   "{ nop; setzi $a0, 1 }\nexitz $mzero\n");
    const auto f = b.tileFunction(wire::CodeKind::Supervisor);
    b.computeSet("cs");
    b.vertex(0, f, kState);
    b.vertex(1, f, kState);
    b.program({step(Op::ComputeSet)});
    const copse::test::TemporaryFolder folder;
    IpuOptions options;
    options.trace.directory = folder.path();
    options.trace.tile = 1;
    if (supervisorAlone)
      options.trace.context = TileTraceOptions::kSupervisorContext;
    OneIpu one(options);
    const auto report = one.run(b.image);
    ASSERT_TRUE(report.ok()) << report.status().message;
    const std::string file = folder.file("ipu0-" + std::to_string(::getpid()));
    std::ostringstream lines, statistics;
    lines << std::ifstream(file + ".instructions.jsonl").rdbuf();
    statistics << std::ifstream(file + ".statistics.jsonl").rdbuf();
    const std::string text = lines.str();
    // Four instructions, the second of which launches six workers that execute two each.
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), supervisorAlone ? 4 : 4 + 6 * 2);
    EXPECT_THAT(text,
                ::testing::StartsWith(R"({"ipu":0,"tile":1,"context":"supervisor","vertex":"Work",)"
                                      R"("compute_set":"cs","cycle":0,"address":"0x4c000",)"
                                      R"("instruction":"setzi $m1, )"));
    EXPECT_THAT(text, HasSubstr(R"("symbol":"work","source":"work.S:5"})"));
    EXPECT_EQ(text.find("worker 5") == text.npos, supervisorAlone);
    EXPECT_THAT(statistics.str(), HasSubstr(supervisorAlone ? R"("issues":4,"bundles":0,)"
                                                            : R"("issues":16,"bundles":6,)"));
  }
}

TEST(TileCodeImage, AFaultNamesEverythingAndTheIpuLivesOn) {
  CodeImage b(3, kCountUp);
  const auto f = b.tileFunction(wire::CodeKind::Worker);
  b.computeSet("cs");
  b.vertex(2, f, kState, {kData, 1});
  b.vertex(2, f, kState + 64, {0x54002, 1});
  b.program({step(Op::ComputeSet)});
  OneIpu one;
  const auto report = one.run(b.image);
  EXPECT_EQ(report.status().code, wire::Code::VertexFault);
  EXPECT_THAT(report.status().message,
              ::testing::AllOf(
                  HasSubstr("ipu 0, tile 2, worker 1: vertex 'Work' of compute set 'cs'"),
                  HasSubstr("TEXCPT_INVALID_ADDR at 0x4c010 in work+0x10 (work.S:"),
                  HasSubstr("{ ld32 $m2, $m0, $mzero, 0; "), HasSubstr("memory address 0x54002"),
                  HasSubstr("in a repeat"), HasSubstr("$m1=0x1")));
  CodeImage good(1, kCountUp);
  good.computeSet("cs");
  good.vertex(0, good.tileFunction(wire::CodeKind::Worker), kState, {kData, 3});
  good.program({step(Op::ComputeSet)});
  EXPECT_TRUE(one.run(good.image).ok());
}

/// A line that stops, the third of its source, and the text of its message.
const struct StopCase {
  const char *name, *code, *exception;
  std::uint32_t offset; ///< offset of the instruction [bytes]
} kStops[] = {
    {"FloatingPoint", "setzi $a0, 2; uput $FP_CTL, $a0; f32oox $a1, $azero", "TEXCPT_FP", 8},
    {"Conflict", "ld32 $m2, $mzero, $m1, 0", "TEXCPT_CONFLICT", 0},
    {"InvalidAddress", "ld32 $m2, $mzero, $mzero, 0", "TEXCPT_INVALID_ADDR", 0},
    {"InvalidOperand", "get $m2, 48", "TEXCPT_INVALID_OP", 0},
    {"InvalidPc", "br $m0", "TEXCPT_INVALID_PC", 0},
    {"InvalidInstruction", ".int 0x7f000000", "TEXCPT_INVALID_INSTR", 0},
    {"Break0", "trap 0", "TEXCPT_PBRK0", 0},
    {"Break1", "trap 1", "TEXCPT_PBRK1", 0},
};
void PrintTo(const StopCase &stop, std::ostream *out) { *out << stop.name; }

class TileCodeStops : public ::testing::TestWithParam<StopCase> {};
TEST_P(TileCodeStops, ReportAddressAndRegisters) {
  const StopCase &c = GetParam();
  const bool isWord = c.code[0] == '.'; // belongs to the line of the instruction before it
  for (const bool supervised : {false, true}) {
    const std::string begin = "nop; setzi $m0, 0x80000; setzi $m1, 0x4c000\n\n";
    const std::string work = begin + c.code + std::string("\nexitz $mzero\n");
    const std::string launch =
        ".supervisor\nsetzi $m1, 0x4c010; run $m1, $mzero, 0; sync 2; br $lr\n"
        ".worker\n";
    CodeImage b(1, ".section .text.work, \"ax\"\n.align 8\n" + (supervised ? launch : "") +
                       "work_" + ":\n" + work);
    b.computeSet("cs");
    b.vertex(0, b.tileFunction(supervised ? wire::CodeKind::Supervisor : wire::CodeKind::Worker),
             kState);
    b.program({step(Op::ComputeSet)});
    OneIpu one;
    const std::string message = one.run(b.image).status().message;
    std::ostringstream at;
    at << " at 0x" << std::hex << 0x4C00C + (supervised ? 0x10 : 0) + c.offset << " in ";
    const std::string line =
        "(work.S:" + std::to_string((supervised ? 7 : 4) + (isWord ? 0 : 2)) + "): ";
    EXPECT_THAT(message, ::testing::AllOf(HasSubstr("ipu 0, tile 0, worker 0: vertex 'Work'"),
                                          HasSubstr(c.exception + at.str()), HasSubstr(line),
                                          HasSubstr("\nregisters:\n  $m0=0x80000 $m1=0x4c000"),
                                          HasSubstr("$a0=")))
        << c.name;
    if (!isWord) {
      const std::string text = c.code;
      const auto semicolon = text.rfind("; ");
      EXPECT_THAT(message,
                  HasSubstr(line + (semicolon == text.npos ? text : text.substr(semicolon + 2))));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Exceptions, TileCodeStops, ::testing::ValuesIn(kStops),
                         [](const auto &p) { return std::string(p.param.name); });

TEST(TileCodeImage, AWorkerThatNeverExitsIsEnded) {
  CodeImage b(1, ".section .text.work, \"ax\"\n.worker\n.align 8\n"
                 "{ rpt 2, 0\n fnop }\n{ nop\n fnop }\n.long 0x40813000\n"); // bri 0x4c000
  b.computeSet("forever");
  b.vertex(0, b.tileFunction(wire::CodeKind::Worker), kState);
  b.program({step(Op::ComputeSet)});
  OneIpu one({.threads = 2, .vertexTimeout = std::chrono::milliseconds(300)});
  const auto report = one.run(b.image);
  EXPECT_EQ(report.status().code, wire::Code::VertexFault);
  EXPECT_THAT(report.status().message, HasSubstr("'forever'"));
}

TEST(TileCodeImage, WorkersThatWaitForAFlagForEverAreEnded) {
  CodeImage b(2, ".section .text.work, \"ax\"\n.align 8\n.supervisor\n"
                 "setzi $m1, 0x4c010; runall $m1, $m0, 0; sync 2; br $lr\n"
                 ".worker\nsetzi $m0, 0x60000\nld32 $m1, $m0, $mzero, 0\n"
                 "brz $m1, 0x4c014\nexitz $mzero\n");
  b.computeSet("cs");
  b.vertex(1, b.tileFunction(wire::CodeKind::Supervisor), kState);
  b.program({step(Op::ComputeSet)});
  OneIpu one({.vertexTimeout = std::chrono::milliseconds(300)});
  const auto report = one.run(b.image);
  EXPECT_EQ(report.status().code, wire::Code::VertexFault);
  EXPECT_THAT(report.status().message,
              ::testing::AllOf(HasSubstr("ipu 0, tile 1, worker "), // the worker whose turn it was
                               HasSubstr("vertex 'Work' of compute set 'cs'"),
                               HasSubstr("did not return")));
}

TEST(TileCodeImage, ManyTilesGiveTheSameOnAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 3U}) {
    CodeImage b(200, kCountUp);
    const auto f = b.tileFunction(wire::CodeKind::Worker);
    b.computeSet("cs");
    for (std::uint32_t tile = 0; tile < 200; ++tile) {
      b.vertex(tile, f, kState, {kData, 1000 + tile});
      b.view({tile, kData}, 4);
    }
    b.program({step(Op::ComputeSet), step(Op::ComputeSet)});
    OneIpu one({.threads = threads});
    const auto report = one.run(b.image);
    ASSERT_TRUE(report.ok()) << report.status().message;
    for (std::uint32_t tile = 0; tile < 200; ++tile)
      EXPECT_THAT(one.values(tile), ElementsAre(2 * (1000 + tile)));
    EXPECT_EQ(report->end.value, 2 * (20 + 10 + 6 * (7 + 1199U)));
  }
}

} // namespace
} // namespace copse::ipud
