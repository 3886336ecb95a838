// Tests control programs on one IPU.
#include "one_ipu.hpp"

#include "wire/vertex_cycles.hpp"

#include <gmock/gmock.h>

#include <thread>

namespace copse::ipud {
namespace {

using test::bytesOf;
using test::ImageBuilder;
using test::kBase;
using test::MemoryEnvironment;
using test::OneIpu;
using test::step;
using test::valuesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::Op;

constexpr std::uint32_t kA = kBase + 0x400, kB = kBase + 0x404, kPredicate = kBase + 0x408;

/// Compute sets that increment A and B, and one that tests A < limit into the predicate; view 0 is
/// A and B.
struct Counters : ImageBuilder {
  explicit Counters(std::uint32_t limit = 0) : ImageBuilder(2) {
    const auto addOne = function("addOne"), isLess = function("isLess");
    computeSet("++A");
    vertex(0, addOne, kBase, {kA});
    computeSet("++B");
    vertex(0, addOne, kBase + 16, {kB});
    computeSet("A < limit");
    vertex(0, isLess, kBase + 32, {kA, limit, kPredicate});
    view({0, kA}, 8);
  }
  static wire::Step incrementA() { return step(Op::ComputeSet, 0); }
  static wire::Step incrementB() { return step(Op::ComputeSet, 1); }
  static wire::Step compare() { return step(Op::ComputeSet, 2); }
};

wire::Step control(Op op, std::uint32_t count, std::uint32_t body, std::uint32_t other) {
  auto s = step(op);
  s.count = count;
  s.body = body;
  s.other = other;
  s.predicate = {0, kPredicate};
  return s;
}

std::vector<std::int32_t> afterRun(const wire::Image &image) {
  OneIpu one;
  const auto report = one.run(image);
  EXPECT_TRUE(report.ok()) << report.status().message;
  return one.values(0);
}

TEST(Interpreter, RepeatRunsItsBody) {
  Counters b;
  b.program({control(Op::Repeat, 5, 3, 0), b.incrementA(), control(Op::Repeat, 2, 1, 0),
             b.incrementB(), b.incrementA()});
  EXPECT_THAT(afterRun(b.image), ElementsAre(6, 10));
}

TEST(Interpreter, RepeatZeroTimesSkipsItsBody) {
  Counters b;
  b.program({control(Op::Repeat, 0, 1, 0), b.incrementA(), control(Op::Repeat, 4'000'000'000, 0, 0),
             b.incrementB()});
  EXPECT_THAT(afterRun(b.image), ElementsAre(0, 1));
}

TEST(Interpreter, WhileRunsAsLongAsThePredicateHolds) {
  Counters b(4);
  b.program({control(Op::While, 1, 2, 1), b.compare(), b.incrementA(), b.incrementB()});
  EXPECT_THAT(afterRun(b.image), ElementsAre(4, 4));
}

TEST(Interpreter, WhileNotRunsUntilThePredicateHolds) {
  Counters b(0); // A < 0 never holds, but A starts at -3
  b.words({0, kA}, {static_cast<std::uint32_t>(-3)});
  b.words({0, kPredicate}, {1});
  b.program({control(Op::While, 0, 1, 1), b.compare(), b.incrementB(), // -3 < 0: ends at once
             b.incrementA()});
  EXPECT_THAT(afterRun(b.image), ElementsAre(-2, 0));
}

TEST(Interpreter, WhileStopsOnRequestAndNamesItsStep) {
  Counters b;
  b.words({0, kPredicate}, {1});
  b.program({control(Op::While, 1, 0, 0)});
  OneIpu one;
  std::jthread stopper([&] { one.partition.stop(); });
  const auto status = one.run(b.image).status();
  EXPECT_EQ(status.code, wire::Code::Cancelled);
  EXPECT_THAT(status.message, HasSubstr("stopped at step 0"));
}

TEST(Interpreter, IfExecutesOneOfTwoBodies) {
  for (const std::uint32_t value : {0U, 1U, 0x100U}) {
    Counters b;
    b.words({0, kPredicate}, {value});
    b.program(
        {control(Op::If, 0, 1, 2), b.incrementA(), b.incrementB(), b.incrementB(), b.incrementA()});
    EXPECT_THAT(afterRun(b.image), value != 0 ? ElementsAre(2, 0) : ElementsAre(1, 2));
  }
}

TEST(Interpreter, AByteSizedPredicateIsOneByte) {
  Counters b;
  b.words({0, kPredicate}, {0x100});
  auto branch = control(Op::If, 0, 1, 0);
  branch.predicateBytes = 1;
  b.program({branch, b.incrementA()});
  EXPECT_THAT(afterRun(b.image), ElementsAre(0, 0));
}

TEST(Interpreter, SwitchTakesTheCaseOrTheDefault) {
  for (const std::uint32_t value : {7U, 8U, 9U}) {
    Counters b;
    b.words({0, kPredicate}, {value});
    auto seven = step(Op::Case, 7), eight = step(Op::Case, 8);
    seven.body = 1;
    eight.body = 2;
    b.program({control(Op::Switch, 2, 6, 1), seven, b.incrementA(), eight, b.incrementB(),
               b.incrementB(), b.incrementA(), b.incrementB()});
    const auto got = afterRun(b.image);
    if (value == 7) {
      EXPECT_THAT(got, ElementsAre(1, 1));
    } else if (value == 8) {
      EXPECT_THAT(got, ElementsAre(0, 3));
    } else {
      EXPECT_THAT(got, ElementsAre(1, 1));
    }
  }
}

TEST(Interpreter, CallsFunctions) {
  Counters b;
  const auto inner = b.callable({b.incrementA()});
  const auto outer = b.callable({step(Op::Call, inner), b.incrementB(), step(Op::Call, inner)});
  b.program({step(Op::Call, outer), step(Op::Call, outer)});
  EXPECT_THAT(afterRun(b.image), ElementsAre(4, 2));
}

TEST(Interpreter, AbortStopsWithItsMessage) {
  for (const std::uint32_t value : {0U, 1U}) {
    Counters b;
    b.image.messages = {"x is negative"};
    b.words({0, kPredicate}, {value});
    b.program({control(Op::Abort, 1, 0, 0)});
    OneIpu one;
    const auto status = one.run(b.image).status();
    EXPECT_EQ(status.ok(), value == 0);
    if (value == 1) {
      EXPECT_THAT(status.message, HasSubstr("x is negative"));
    }
  }
}

TEST(Interpreter, TheResultIsTheAndOfAllVertices) {
  for (const std::uint32_t second : {0U, 5U}) {
    ImageBuilder b(2);
    const auto isPositive = b.function("isPositive");
    b.computeSet("all positive");
    b.vertex(0, isPositive, kBase, {kA});
    b.vertex(1, isPositive, kBase, {kA});
    b.image.computeSets[0].hasResult = true;
    b.image.computeSets[0].result = {0, kPredicate};
    b.words({0, kA}, {1});
    b.words({1, kA}, {second});
    b.view({0, kPredicate}, 1);
    b.program({step(Op::ComputeSet)});
    OneIpu one;
    ASSERT_TRUE(one.run(b.image).ok());
    EXPECT_THAT(one.values<std::uint8_t>(0), ElementsAre(second > 0 ? 1 : 0));
  }
}

TEST(Interpreter, AMultiVertexRunsOnEveryWorker) {
  ImageBuilder b(1);
  b.computeSet("multi");
  b.vertex(0, b.function("addWorker", true), kBase, {kA});
  b.view({0, kA}, 28);
  b.program({step(Op::ComputeSet)});
  EXPECT_THAT(afterRun(b.image), ElementsAre(1, 2, 3, 4, 5, 6, 0));
}

TEST(Interpreter, ResultsDoNotDependOnTheNumberOfThreads) {
  ImageBuilder b(500);
  const auto addOne = b.function("addOne"), sum = b.function("sum");
  b.computeSet("first");
  for (std::uint32_t tile = 0; tile < 500; ++tile)
    for (int i = 0; i < 9; ++i)
      b.vertex(tile, addOne, kBase, {kA}, 1000 + tile);
  b.computeSet("second");
  for (std::uint32_t tile = 0; tile < 500; ++tile)
    b.vertex(tile, sum, kBase + 16, {kA, 2, kB}, 2000);
  wire::HostView all;
  for (std::uint32_t tile = 0; tile < 500; ++tile) {
    b.words({tile, kA}, {tile});
    all.regions.push_back({tile, kA, 8, 1, 0});
  }
  all.bytes = all.rowBytes = 4000;
  all.pieces = {{0, 4000}};
  b.image.hostViews = {all};
  b.program({step(Op::ComputeSet, 0), step(Op::ComputeSet, 1), step(Op::ComputeSet, 0)});
  std::vector<std::vector<std::int32_t>> results;
  std::vector<std::uint64_t> clocks;
  for (const unsigned threads : {1U, 2U, 5U}) {
    OneIpu one({.threads = threads});
    const auto report = one.run(b.image);
    ASSERT_TRUE(report.ok()) << report.status().message;
    EXPECT_EQ((*report).vertices, 9500U);
    results.push_back(one.values(0));
    clocks.push_back((*report).end.value);
  }
  EXPECT_EQ(results[0][2 * 10], 10 + 18);
  EXPECT_EQ(results[0][2 * 10 + 1], 10 + 9);
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
  EXPECT_THAT(clocks, ElementsAre(clocks[0], clocks[0], clocks[0]));
}

TEST(Interpreter, TheClockCountsStaticCosts) {
  Counters b;
  b.program({b.incrementA()});
  OneIpu one;
  const auto report = one.run(b.image);
  EXPECT_EQ((*report).start.value, 0U);
  EXPECT_EQ((*report).end.value, 20U + 10 + 100); // computeSetCycles, vertexCycles, the vertex
  EXPECT_EQ((*one.ipu.run(0, one.environment)).start.value, 130U);
  ASSERT_TRUE(one.load(b.image).ok());
  EXPECT_EQ(one.ipu.now().value, 0U);
}

TEST(Interpreter, ReadClockGivesTheTimeSince) {
  Counters b;
  auto first = step(Op::ReadClock), second = step(Op::ReadClock);
  first.predicate = second.predicate = {0, kA};
  second.count = 1;
  b.program({b.compare(), first, b.compare(), b.compare(), second});
  EXPECT_THAT(afterRun(b.image), ElementsAre(260, 0));
}

TEST(Interpreter, AllTrueIsTheAndOfBytes) {
  for (const auto &[bytes, result] : std::vector<std::pair<std::uint32_t, int>>{
           {0x01010101, 1}, {0x02FF0101, 1}, {0x01010100, 0}, {0x00010101, 0}}) {
    Counters b;
    b.words({0, kA}, {bytes});
    auto all = step(Op::AllTrue);
    all.predicate = {0, kA};
    all.count = 4;
    b.program({all});
    EXPECT_EQ(afterRun(b.image)[0] & 0xFF, result) << bytes;
  }
}

TEST(Interpreter, AllTrueReadsItsBytesOnly) {
  Counters b;
  b.words({0, kA}, {0x0000FFFF});
  auto two = step(Op::AllTrue);
  two.predicate = {0, kA};
  two.count = 2;
  b.program({two});
  EXPECT_EQ(static_cast<std::uint32_t>(afterRun(b.image)[0]), 0x0000FF01U);
}

wire::Image streams(wire::Direction direction, std::uint32_t times) {
  ImageBuilder b(1);
  const auto view = ImageBuilder::wholeRow({0, kA}, 1000);
  const bool in = direction == wire::Direction::ToDevice;
  b.image.hostExchanges = {{"s", {{0, direction, view}}, in ? 1000U : 0U, in ? 0U : 1000U}};
  b.view({0, kA}, 1000);
  auto repeat = step(Op::Repeat);
  repeat.count = times;
  repeat.body = 1;
  b.program({repeat, step(Op::HostExchange)});
  return b.image;
}

TEST(Interpreter, ReadsStreams) {
  OneIpu one;
  std::vector<std::int32_t> row(250, 7);
  one.environment.onRead = [&](std::uint32_t, std::uint32_t) {
    return MemoryEnvironment::Row{bytesOf(row), false};
  };
  const auto report = one.run(streams(wire::Direction::ToDevice, 1));
  ASSERT_TRUE(report.ok()) << report.status().message;
  EXPECT_EQ(one.values(0), row);
  EXPECT_EQ((*report).end.value,
            1000U + 1000 + 5000); // latency, 1000 bytes at 1 GB/s, the callback
}

TEST(Interpreter, PrefetchedRowsTravelInTheBackground) {
  OneIpu one;
  one.environment.onRead = [&](std::uint32_t, std::uint32_t) {
    return MemoryEnvironment::Row{std::vector<std::byte>(1000), true};
  };
  const auto report = one.run(streams(wire::Direction::ToDevice, 3));
  // Each row was in transit for the whole latency, 1000 cycles, and needed nothing more.
  EXPECT_EQ((*report).end.value, 3U * 1000);
}

TEST(Interpreter, WritesStreams) {
  OneIpu one;
  const auto report = one.run(streams(wire::Direction::ToHost, 2));
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(one.environment.written.size(), 2U);
  EXPECT_EQ(one.environment.written[0], std::vector<std::byte>(1000));
  EXPECT_EQ((*report).end.value, 2U * (1000 + 1000));
}

TEST(Interpreter, RefusesARowOfAnotherSize) {
  OneIpu one;
  one.environment.onRead = [&](std::uint32_t, std::uint32_t) {
    return MemoryEnvironment::Row{std::vector<std::byte>(999), false};
  };
  const auto status = one.run(streams(wire::Direction::ToDevice, 1)).status();
  EXPECT_EQ(status.code, wire::Code::BadFrame);
  EXPECT_THAT(status.message, HasSubstr("999 bytes instead of 1000"));
}

TEST(Interpreter, CopiesRowsOfARemoteBuffer) {
  ImageBuilder b(1);
  wire::RemoteCopy out;
  out.direction = wire::Direction::ToHost;
  out.rows = 2;
  out.rowBytes = 4;
  out.hasOffsets = true;
  out.offsets = {0, kBase, 8, 1, 0};
  out.view = ImageBuilder::wholeRow({0, kA}, 8);
  out.replicaBytes = 8;
  auto in = out;
  in.direction = wire::Direction::ToDevice;
  in.rows = 1;
  in.hasOffsets = false;
  in.view = ImageBuilder::wholeRow({0, kPredicate}, 4);
  b.image.remoteCopies = {out, in};
  b.words({0, kBase}, {5, 3});
  b.words({0, kA}, {50, 30});
  b.view({0, kPredicate}, 4);
  b.program({step(Op::RemoteCopy, 0), step(Op::RemoteCopy, 1)});
  OneIpu one;
  one.environment.rows[0] = bytesOf(std::vector<std::int32_t>{99});
  const auto report = one.run(b.image);
  ASSERT_TRUE(report.ok()) << report.status().message;
  EXPECT_EQ(one.environment.rows[5], bytesOf(std::vector<std::int32_t>{50}));
  EXPECT_EQ(one.environment.rows[3], bytesOf(std::vector<std::int32_t>{30}));
  EXPECT_THAT(one.values(0), ElementsAre(99));
  EXPECT_EQ((*report).end.value, 1000U + 8 + 1000 + 4);
}

TEST(Interpreter, Prints) {
  ImageBuilder b(1);
  b.image.prints = {{0, ImageBuilder::wholeRow({0, kA}, 4)}};
  b.words({0, kA}, {11});
  b.program({step(Op::Print)});
  OneIpu one;
  ASSERT_TRUE(one.run(b.image).ok());
  EXPECT_THAT(one.environment.printed, ElementsAre(bytesOf(std::vector<std::int32_t>{11})));
}

TEST(Ipu, WritesAndReadsViews) {
  ImageBuilder b(2);
  b.image.hostViews = {{{{1, kA, 4, 3, -8}, {0, kA, 4, 1, 0}}, {{0, 16}}, 16, 16}};
  OneIpu one;
  b.image.hostViews[0].regions[0].address += 16;
  ASSERT_TRUE(one.load(b.image).ok());
  ASSERT_TRUE(one.ipu.writeView(0, bytesOf(std::vector<std::int32_t>{1, 2, 3, 4})).ok());
  EXPECT_THAT(one.values(0), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(one.ipu.writeView(0, {}).code, wire::Code::BadFrame);
  EXPECT_EQ(one.ipu.writeView(1, {}).code, wire::Code::NotFound);
  EXPECT_EQ(one.ipu.readView(1).status().code, wire::Code::NotFound);
}

TEST(Ipu, RefusesToRunAMissingProgram) {
  OneIpu one;
  EXPECT_EQ(one.ipu.run(0, one.environment).status().code, wire::Code::NotFound);
  EXPECT_EQ(one.ipu.readView(0).status().code, wire::Code::NotFound);
  ASSERT_TRUE(one.load(ImageBuilder(1).image).ok());
  EXPECT_EQ(one.ipu.run(0, one.environment).status().code, wire::Code::NotFound);
}

TEST(Ipu, RefusesAnImageOfAnotherIpu) {
  OneIpu one;
  EXPECT_EQ(one.load(ImageBuilder(1, 1, 2).image).code, wire::Code::InvalidImage);
  Counters b;
  b.image.exchanges.emplace_back().replicaMap = {1, 0};
  EXPECT_THAT(one.load(b.image).message, HasSubstr("is for 2 replicas"));
}

TEST(Ipu, WritesTheReplicaIndexAndRepeatedData) {
  ImageBuilder b(1);
  b.words({0, kA}, {6});
  b.image.initial[0].to.count = 3;
  b.image.initial[0].to.stride = 8;
  b.image.replicaIndices = {{0, kB}};
  b.view({0, kA}, 20);
  clock::TimingModel timing(test::machine(), wire::Topology::Mesh, 2);
  Ipu ipu(timing, {});
  ASSERT_TRUE(
      ipu.load(b.image, {{1}, {1}, 2, 1, wire::Topology::Mesh}, test::moduleAt(TEST_CODELETS))
          .ok());
  EXPECT_THAT(valuesOf<std::int32_t>((*ipu.readView(0)).bytes()), ElementsAre(6, 1, 6, 0, 6));
}

} // namespace
} // namespace copse::ipud
