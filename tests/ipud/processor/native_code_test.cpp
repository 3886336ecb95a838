// Tests tile code that starts codelets in native code, and calls functions there: with the worker's
// own registers, and contained like native vertices.
#include "../one_ipu.hpp"
#include "code_image.hpp"
#include "sanitizers.hpp"

#include <gmock/gmock.h>

#include <chrono>

namespace copse::ipud {
namespace {

using namespace std::chrono_literals;
using test::CodeImage;
using test::kData;
using test::kState;
using test::OneIpu;
using test::step;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::CodeKind;
using wire::Op;

/// A vertex of the supervisor, on tile 1, that calls a native function at wire::kNativeEntries.
struct Started : CodeImage {
  Started(const std::string &native, bool multiVertex, const std::string &assembly,
          CodeKind kind = CodeKind::Supervisor)
      : CodeImage(2, ".section .text.work, \"ax\"\n" + assembly) {
    addNative(native, multiVertex, wire::kNativeEntries);
    const auto f = tileFunction(kind);
    computeSet("cs");
    vertex(1, f, kState, {kData});
    program({step(Op::ComputeSet)});
    view({1, kData}, 64);
  }
  void addNative(const std::string &symbol, bool multiVertex, std::uint32_t entry) {
    image.functions[function(symbol, multiVertex)].entry = entry;
  }
};

constexpr const char *kRunall = ".supervisor\n.align 8\nsetzi $m1, 0x1000\n"
                                "runall $m1, $m0, 0\nsync 2\nbr $lr\n";

TEST(NativeCodeOnTile, IsStartedOnAllWorkers) {
  OneIpu one;
  const Started b("tellWorker", true, kRunall);
  const auto report = one.run(b.image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  std::vector<std::int32_t> expected(16);
  for (int worker = 0; worker < 6; ++worker)
    expected[static_cast<std::size_t>(worker)] = 17 * worker;
  EXPECT_EQ(one.values(0), expected);
  // 20 to enter and 10 to start the vertex; 1 and 6 to load the address, 6 to launch, the estimate
  // of 100 in whole multiples of six; 1 to wait, 6 to return.
  EXPECT_EQ(report->end.value - report->start.value, 20U + 10 + 6 + 6 + 102 + 1 + 6);
}

TEST(NativeCodeOnTile, IsStartedOnOneWorkerWithItsBase) {
  Started b("addOne", false,
            ".supervisor\n.align 8\nsetzi $m1, 0x1000\nsetzi $m2, 0x8000\n"
            "run $m1, $m2, 1\nrun $m1, $m2, 3\nrun $m1, $m2, 1\nsync 2\nbr $lr\n");
  b.words({1, kData}, {0, kData + 32, 0, kData + 36, 0, 0, 0, 0, 100, 200});
  OneIpu one;
  const auto report = one.run(b.image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  const auto values = one.values(0);
  EXPECT_EQ(values[8], 102);
  EXPECT_EQ(values[9], 201);
}

TEST(NativeCodeOnTile, ReturnsTheConjunctionOfItsResults) {
  for (const std::uint32_t value : {1U, 0U}) {
    Started b("isPositive", false, kRunall);
    b.words({1, kData}, {value});
    b.image.computeSets[0].hasResult = true;
    b.image.computeSets[0].result = {1, kData + 4};
    OneIpu one;
    const auto report = one.run(b.image);
    ASSERT_TRUE(report.ok()) << report.status().message;
    EXPECT_EQ(one.values(0)[1], static_cast<std::int32_t>(value));
  }
}

TEST(NativeCodeOnTile, EndsTheWorkerThatBranchesToIt) {
  OneIpu one;
  const auto report =
      one.run(Started("addOne", false, ".worker\n.align 8\nsetzi $m1, 0x1000\nbr $m1\ntrap 0\n",
                      CodeKind::Worker)
                  .image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  EXPECT_EQ(one.values(0)[0], 1);
}

TEST(NativeCodeOnTile, DrawsFromTheRandomNumbersOfItsWorker) {
  // Draws three numbers: in tile code, native code, tile code; then all three in tile code.
  const std::string seeded = ".worker\n.align 8\nsetzi $a0, 77\nuput $PRNG_SEED, $a0\n"
                             "ld32 $m0, $mvertex_base, $mzero, 0\nurand64 $a0:1\n";
  const auto bits = [](const Started &b) {
    OneIpu one;
    const auto report = one.run(b.image);
    EXPECT_TRUE(report.ok()) << report.status().message;
    return one.values(0);
  };
  const auto native =
      bits({"draw", false, seeded + "setzi $m1, 0x1000\nbr $m1\n", CodeKind::Worker});
  const auto tile =
      bits({"draw", false, seeded + "urand64 $a0:1\nst64 $a0:1, $m0, $mzero, 0\nexitz $mzero\n",
            CodeKind::Worker});
  EXPECT_NE(native[0], 0);
  EXPECT_EQ(native, tile);
}

TEST(NativeCodeOnTile, RestoresTheRandomNumbers) {
  Started b("draw", true,
            ".supervisor\n.align 8\nsetzi $m1, 0x1000\nrunall $m1, $m0, 0\nsync 2\n"
            "setzi $m1, 0x4C020\nrunall $m1, $m0, 0\nsync 2\nbr $lr\nnop\n"
            ".worker\nld32 $m0, $mvertex_base, $mzero, 0\nget $m1, $WSR\nand $m1, $m1, 7\n"
            "shl $m1, $m1, 3\nadd $m0, $m0, $m1\nld32 $m2, $m0, $mzero, 0\nurand64 $a0:1\n"
            "atom $m3, $a0\ncmpeq $m2, $m2, $m3\nst32 $m2, $m0, $mzero, 0\nexitz $mzero\n");
  OneIpu one;
  const auto report = one.run(b.image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  for (std::size_t worker = 0; worker < 6; ++worker)
    EXPECT_EQ(one.values(0)[2 * worker], 0) << "worker " << worker << " drew one number twice";
}

TEST(NativeCodeOnTile, IsCalledAsAFunction) {
  Started b("addOne", false,
            ".worker\n.align 8\nsetzi $m0, 1\nsetzi $m1, 20\nsetzi $m2, 300\nsetzi $m3, 4000\n"
            "ldconst $a0, 0x40000000\nldconst $a5, 0x3F000000\nsetzi $m7, 9\n"
            "call $lr, 0x1004\nld32 $m1, $mvertex_base, $mzero, 0\nst32 $m0, $m1, $mzero, 0\n"
            "st32 $a0, $m1, $mzero, 1\nst32 $m7, $m1, $mzero, 2\nexitz $mzero\n",
            CodeKind::Worker);
  b.addNative("sumAndProduct", false, wire::kNativeEntries + 4);
  b.image.functions.back().kind = CodeKind::NativeFunction;
  OneIpu one;
  const auto report = one.run(b.image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  const auto values = one.values(0);
  EXPECT_EQ(values[0], 4321);
  EXPECT_EQ(values[1], 0x3F800000); // 2 * 0.5
  EXPECT_EQ(values[2], 9);
}

TEST(NativeCodeOnTile, ReadsAndWritesTheFloatingPointControlOfItsWorker) {
  Started b("addOne", false,
            ".worker\n.align 8\nsetzi $a0, 0x80000\nuput $FP_CTL, $a0\ncall $lr, 0x1004\n"
            "ld32 $m1, $mvertex_base, $mzero, 0\nst32 $m0, $m1, $mzero, 0\nuget $a0, $FP_CTL\n"
            "st32 $a0, $m1, $mzero, 1\nexitz $mzero\n",
            CodeKind::Worker);
  b.addNative("clearControl", false, wire::kNativeEntries + 4);
  b.image.functions.back().kind = CodeKind::NativeFunction;
  OneIpu one;
  const auto report = one.run(b.image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  EXPECT_EQ(one.values(0)[0], 0x80000);
  EXPECT_EQ(one.values(0)[1], 0);
}

struct NativeFault {
  const char *codelet;
  const char *message;
} const kNativeFaults[] = {
    {"readNull", "bad memory access at native address 0, which is in no tile"},
    {"illegal", "illegal instruction"},
    {"giveUp", "abort"},
    {"throwSomething", "an exception that it did not catch"},
    {"overflowStack", "stack overflow"},
};

class NativeFaultOnTile : public ::testing::TestWithParam<NativeFault> {};
INSTANTIATE_TEST_SUITE_P(Codelets, NativeFaultOnTile, ::testing::ValuesIn(kNativeFaults),
                         [](const auto &c) { return std::string(c.param.codelet); });

TEST_P(NativeFaultOnTile, IsNamedAndTheIpuLivesOn) {
  const NativeFault &c = GetParam();
  OneIpu one;
  const auto report = one.run(Started(c.codelet, false, kRunall).image);
  EXPECT_EQ(report.status().code, wire::Code::VertexFault);
  EXPECT_THAT(report.status().message,
              AllOf(HasSubstr("ipu 0, tile 1, worker 5: vertex 'Work' of compute set 'cs' failed "
                              "in codelet 'Type<" +
                              std::string(c.codelet) + ">', which its tile code starts"),
                    HasSubstr(c.message)));
  const auto good = one.run(Started("tellWorker", true, kRunall).image);
  EXPECT_TRUE(good.ok()) << good.status().message;
}

TEST(NativeCodeOnTile, IsNamedWithTheWorkerThatFaults) {
  OneIpu one;
  EXPECT_THAT(one.run(Started("faultOnWorker4", true, kRunall).image).status().message,
              HasSubstr("tile 1, worker 4: vertex 'Work'"));
}

TEST(NativeCodeOnTile, EndsAtTheTimeout) {
  if (copse::test::kThreadSanitizer)
    GTEST_SKIP() << "thread sanitizer delivers no signal to a loop without calls";
  OneIpu one({.vertexTimeout = 100ms});
  EXPECT_THAT(one.run(Started("forever", false, kRunall).image).status().message,
              AllOf(HasSubstr("worker 5: vertex 'Work'"), HasSubstr("in codelet 'Type<forever>'"),
                    HasSubstr("did not return")));
  const auto good = one.run(Started("tellWorker", true, kRunall).image);
  EXPECT_TRUE(good.ok()) << good.status().message;
}

TEST(NativeCodeOnTile, IsForWorkersWithStateInMemory) {
  OneIpu one;
  const auto messageOf = [&](const std::string &assembly) {
    return one.run(Started("addOne", false, ".supervisor\n.align 8\n" + assembly).image)
        .status()
        .message;
  };
  EXPECT_THAT(messageOf("setzi $m1, 0x1000\nbr $m1\n"),
              AllOf(HasSubstr("supervisor: vertex 'Work'"),
                    HasSubstr("TEXCPT_INVALID_PC at 0x1000"),
                    HasSubstr("the address of native code 'Type<addOne>'")));
  EXPECT_THAT(messageOf("setzi $m1, 0x1000\nrunall $m1, $mzero, 0\nsync 2\nbr $lr\n"),
              AllOf(HasSubstr("worker 5: vertex 'Work'"), HasSubstr("TEXCPT_INVALID_ADDR"),
                    HasSubstr("memory address 0")));
  EXPECT_THAT(messageOf("setzi $m1, 0x1004\nrunall $m1, $m0, 0\nsync 2\nbr $lr\n"),
              HasSubstr("TEXCPT_INVALID_OP"));
}

} // namespace
} // namespace copse::ipud
