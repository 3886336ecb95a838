// Tests faults of codelets: they trap, throw, or never return. The IPU survives and names the
// vertex.
#include "one_ipu.hpp"
#include "sanitizers.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace copse::ipud {
namespace {

using namespace std::chrono_literals;
using test::ImageBuilder;
using test::kBase;
using test::OneIpu;
using test::step;
using ::testing::HasSubstr;

constexpr std::uint32_t kState = kBase + 0x100, kValue = kBase + 0x200;

/// Returns an image in which tiles 0 to 7 increment an int; then tile 5, as its 8th vertex, runs
/// the codelet \p symbol.
wire::Image imageWith(const std::string &symbol, std::initializer_list<std::uint32_t> state = {},
                      bool multiVertex = false) {
  ImageBuilder b(8);
  const auto addOne = b.function("addOne"), bad = b.function(symbol, multiVertex);
  b.computeSet("the set");
  for (std::uint32_t tile = 0; tile < 8; ++tile) {
    for (int i = 0; i < 7; ++i)
      b.vertex(tile, addOne, kState, {kValue}, 1'000'000);
    if (tile == 5)
      b.vertex(tile, bad, kState + 64, state);
  }
  b.view({0, kValue}, 4);
  b.program({step(wire::Op::ComputeSet)});
  return b.image;
}

void expectWorks(OneIpu &one) {
  const auto report = one.run(imageWith("empty"));
  ASSERT_TRUE(report.ok()) << report.status().message;
  EXPECT_EQ(one.values(0), std::vector<std::int32_t>{7});
}

struct FaultCase {
  const char *name;
  const char *symbol;
  std::uint32_t state[2];
  const char *message;
} const kFaults[] = {
    {"BelowTheMemory",
     "readAt",
     {0x100, 0},
     "bad memory access at address 0x100, which the tile does not have"},
    {"AboveTheMemory",
     "readAt",
     {0xE8000, 0},
     "bad memory access at address 0xe8000, which the tile"},
    {"OtherTile", "readAt", {0x200000, 0}, "bad memory access at address 0 of the slot of tile 6"},
    {"NullPointer",
     "readNull",
     {0, 0},
     "bad memory access at native address 0, which is in no tile"},
    {"DivisionByZero", "divide", {1, 0}, "integer division by zero or overflow"},
    {"DivisionOverflow",
     "divide",
     {0x80000000, 0xffffffff},
     "integer division by zero or overflow"},
    {"IllegalInstruction", "illegal", {0, 0}, "illegal instruction"},
    {"Breakpoint", "breakpoint", {0, 0}, "trap"},
    {"Abort", "giveUp", {0, 0}, "abort"},
    {"Exception", "throwSomething", {0, 0}, "an exception that it did not catch: int"},
    {"ExceptionWithAText",
     "throwAnError",
     {0, 0},
     "an exception that it did not catch: std::out_of_range: no such row"},
    {"StackOverflow", "overflowStack", {0, 0}, ": stack overflow"},
};

class Faults : public ::testing::TestWithParam<std::tuple<FaultCase, unsigned>> {};

TEST_P(Faults, AreReportedAndSurvived) {
  const auto &[c, threads] = GetParam();
  OneIpu one({.threads = threads});
  for (int round = 0; round < 2; ++round) {
    const auto report = one.run(imageWith(c.symbol, {c.state[0], c.state[1]}));
    ASSERT_FALSE(report.ok());
    const auto status = report.status();
    EXPECT_EQ(status.code, wire::Code::VertexFault);
    EXPECT_THAT(status.message, HasSubstr("ipu 0, tile 5, worker 1: vertex 'Type<" +
                                          std::string(c.symbol) + ">' of compute set 'the set'"));
    EXPECT_THAT(status.message, HasSubstr(c.message));
    expectWorks(one);
  }
}
INSTANTIATE_TEST_SUITE_P(Cases, Faults,
                         ::testing::Combine(::testing::ValuesIn(kFaults), ::testing::Values(1, 3)),
                         [](const auto &p) {
                           return std::string(std::get<0>(p.param).name) + "On" +
                                  std::to_string(std::get<1>(p.param)) + "Threads";
                         });

TEST(Containment, NamesTheWorkerOfAMultiVertex) {
  OneIpu one;
  const auto report = one.run(imageWith("faultOnWorker4", {}, true));
  EXPECT_THAT(report.status().message,
              HasSubstr("tile 5, worker 4: vertex 'Type<faultOnWorker4>'"));
}

TEST(Containment, ReportsTheFirstOfSeveralFaults) {
  ImageBuilder b(200);
  const auto illegal = b.function("illegal"), addOne = b.function("addOne");
  b.computeSet("many");
  for (std::uint32_t tile = 0; tile < 200; ++tile) {
    // The thread with tile 37 reaches its fault long after the threads with later tiles.
    for (int i = 0; i < (tile == 36 ? 500'000 : 1); ++i)
      b.vertex(tile, addOne, kState,
               i == 0 ? std::initializer_list<std::uint32_t>{kValue}
                      : std::initializer_list<std::uint32_t>{},
               1'000'000);
    if (tile >= 37)
      b.vertex(tile, illegal, kState);
  }
  b.program({step(wire::Op::ComputeSet)});
  OneIpu one({.threads = 3});
  for (int i = 0; i < 5; ++i)
    EXPECT_THAT(one.run(b.image).status().message, HasSubstr("tile 37,"));
}

class NeverReturning : public ::testing::TestWithParam<unsigned> {};

TEST_P(NeverReturning, EndsAtTheTimeout) {
  if (copse::test::kThreadSanitizer)
    GTEST_SKIP() << "thread sanitizer delivers no signal to a loop without calls";
  OneIpu one({.threads = GetParam(), .vertexTimeout = 100ms});
  const auto start = std::chrono::steady_clock::now();
  const auto report = one.run(imageWith("forever"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 15s);
  EXPECT_EQ(report.status().code, wire::Code::VertexFault);
  EXPECT_THAT(report.status().message, HasSubstr("tile 5, worker 1: vertex 'Type<forever>'"));
  EXPECT_THAT(report.status().message, HasSubstr("did not return"));
  expectWorks(one);
}

TEST_P(NeverReturning, EndsWhenAStopIsRequested) {
  if (copse::test::kThreadSanitizer)
    GTEST_SKIP() << "thread sanitizer delivers no signal to a loop without calls";
  OneIpu one({.threads = GetParam()});
  std::jthread stopper([&] {
    std::this_thread::sleep_for(100ms);
    one.partition.stop();
  });
  const auto report = one.run(imageWith("forever"));
  EXPECT_EQ(report.status().code, wire::Code::Cancelled);
  EXPECT_THAT(report.status().message, HasSubstr("'the set'"));
}
INSTANTIATE_TEST_SUITE_P(Threads, NeverReturning, ::testing::Values(1, 2, 3));

TEST(Containment, WorksOnAnyCallingThread) {
  if (copse::test::kThreadSanitizer)
    GTEST_SKIP() << "thread sanitizer delivers no signal to a loop without calls";
  OneIpu one({.vertexTimeout = 100ms});
  for (const char *symbol : {"illegal", "forever", "overflowStack"})
    std::jthread([&] {
      EXPECT_EQ(one.run(imageWith(symbol)).status().code, wire::Code::VertexFault) << symbol;
    });
  expectWorks(one);
}

TEST(Containment, ReachesAThreadThatBlocksSignals) {
  if (copse::test::kThreadSanitizer)
    GTEST_SKIP() << "thread sanitizer delivers no signal to a loop without calls";
  sigset_t all, before;
  sigfillset(&all);
  OneIpu one({.vertexTimeout = 100ms});
  std::jthread([&] {
    pthread_sigmask(SIG_SETMASK, &all, &before);
    EXPECT_EQ(one.run(imageWith("readNull")).status().code, wire::Code::VertexFault);
    EXPECT_EQ(one.run(imageWith("forever")).status().code, wire::Code::VertexFault);
  });
}

TEST(ContainmentDeathTest, LeavesOurOwnFaultsToTheSystem) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        OneIpu one;
        expectWorks(one);
        std::raise(SIGSEGV);
      },
      "");
}

TEST(ContainmentDeathTest, PassesFaultsOnToThePreviousHandler) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        std::signal(SIGFPE, [](int) { std::_Exit(42); });
        OneIpu one;
        EXPECT_FALSE(one.run(imageWith("divide", {1, 0})).ok());
        std::raise(SIGFPE);
      },
      ::testing::ExitedWithCode(42), "");
}

} // namespace
} // namespace copse::ipud
