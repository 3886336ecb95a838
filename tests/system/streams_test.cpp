#include "images.hpp"
#include "machines.hpp"
#include "shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <thread>

namespace copse::session {
namespace {

using test::codelets;
using test::ImageWriter;
using test::kWord;
using test::machineOf;
using test::RecordingHandler;
using test::repeat;
using test::Shape;
using test::step;
using ::testing::ElementsAre;
using wire::Direction;
using wire::Op;

enum : std::uint32_t { kIn = 0, kOut = 1 };

/// Returns a program that repeats three times: a row comes in, a word for each IPU of the replica;
/// the IPU adds one; the row goes out.
Program echoProgram(const Shape &shape, bool broadcast = false) {
  Program program;
  program.replicas = shape.replicas;
  program.modules = codelets().bytes();
  const std::uint32_t rowBytes = 4 * shape.ipusPerReplica;
  program.streams = {{"in", Direction::ToDevice, rowBytes, broadcast, 1},
                     {"out", Direction::ToHost, rowBytes}};
  for (std::uint32_t ipu = 0; ipu < shape.ipusPerReplica; ++ipu) {
    ImageWriter writer(codelets().ref(), ipu, shape.ipusPerReplica);
    const auto view = ImageWriter::part(kWord, 1, ipu, shape.ipusPerReplica);
    const wire::Step in = writer.transfer(kIn, Direction::ToDevice, view);
    const wire::Step out = writer.transfer(kOut, Direction::ToHost, view);
    writer.program({repeat(3, 3), in, writer.vertex("add", {kWord, 1}), out});
    program.images.push_back(writer.shared());
  }
  return program;
}

/// Fills rows with 1000 * replica, + 1 for each row, + 100 for each word; keeps what comes out.
class Source : public RecordingHandler {
public:
  explicit Source(bool ahead = false) {
    onFetch = [this](std::uint32_t, std::uint32_t replica, Row row) { fill(replica, row); };
    onPrefetch = [this, ahead](std::uint32_t, std::uint32_t replica, Row row) {
      if (ahead)
        fill(replica, row);
      return ahead;
    };
    onTake = [this](std::uint32_t, std::uint32_t replica, std::span<const std::byte> row) {
      for (std::size_t word = 0; word < row.size(); word += 4)
        taken[replica].push_back(test::wordOf(row.subspan(word)));
    };
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> taken;

private:
  void fill(std::uint32_t replica, Row row) {
    const std::uint32_t first = 1000 * replica + rows_[replica]++;
    for (std::uint32_t word = 0; word < row.size() / 4; ++word)
      test::setWord(row.subspan(4 * word), first + 100 * word);
  }
  std::map<std::uint32_t, std::uint32_t> rows_;
};

struct StreamCase {
  const char *name;
  Shape shape;
  bool prefetch;
};
const StreamCase kStreamCases[] = {
    {"OneIpc", {"", Transport::Ipc, 1, 1}, false},
    {"OneInprocAhead", {"", Transport::Inproc, 1, 1}, true},
    {"TwoReplicasTcpAhead", {"", Transport::Tcp, 2, 1}, true},
    {"OneShmAhead", {"", Transport::Shm, 1, 1}, true},
    {"TwoOfTwoShmAhead", {"", Transport::Shm, 2, 2}, true},
    {"FourInOneIpc", {"", Transport::Ipc, 1, 4}, false},
    {"TwoOfTwoIpcAhead", {"", Transport::Ipc, 2, 2}, true},
    {"EightInprocAhead", {"", Transport::Inproc, 4, 2}, true},
};
class StreamsOfShape : public ::testing::TestWithParam<StreamCase> {};
INSTANTIATE_TEST_SUITE_P(Shapes, StreamsOfShape, ::testing::ValuesIn(kStreamCases),
                         [](const auto &p) { return std::string(p.param.name); });

TEST_P(StreamsOfShape, CarryRowsInAndOut) {
  const auto &[name, shape, prefetch] = GetParam();
  const auto machine = machineOf(shape);
  ASSERT_NE(machine, nullptr);
  Program program = echoProgram(shape);
  program.prefetch = prefetch;
  ASSERT_TRUE(machine->load(std::move(program)).ok());
  Source source(prefetch);
  const auto report = machine->run(0, source);
  ASSERT_TRUE(report.ok()) << report.status().message;
  for (std::uint32_t replica = 0; replica < shape.replicas; ++replica) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t row = 0; row < 3; ++row)
      for (std::uint32_t word = 0; word < shape.ipusPerReplica; ++word)
        expected.push_back(1000 * replica + row + 100 * word + 1);
    EXPECT_EQ(source.taken[replica], expected) << "replica " << replica;
  }
}

class Streams : public ::testing::Test {
protected:
  /// Loads the program on IPUs in this process.
  void load(Program program) {
    machine_ = machineOf({"", Transport::Inproc, program.replicas,
                          static_cast<std::uint32_t>(program.images.size())});
    ASSERT_NE(machine_, nullptr);
    const auto status = machine_->load(std::move(program));
    ASSERT_TRUE(status.ok()) << status.message;
  }
  wire::Cycles run(StreamHandler &handler) {
    const auto report = machine_->run(0, handler);
    EXPECT_TRUE(report.ok()) << report.status().message;
    return report ? wire::Cycles{report->end().value - report->ipus[0].start.value}
                  : wire::Cycles{};
  }
  std::unique_ptr<Machine> machine_;
};

/// Returns the calls of one stream, because the order of calls of different streams is not defined.
std::vector<std::string> callsOfStream(const Source &source, unsigned stream) {
  std::vector<std::string> calls;
  const std::string wanted = " " + std::to_string(stream) + "/";
  std::copy_if(source.calls.begin(), source.calls.end(), std::back_inserter(calls),
               [&](const std::string &call) { return call.find(wanted) != std::string::npos; });
  return calls;
}

const Shape kOne{"", Transport::Inproc, 1, 1};

TEST_F(Streams, FetchAndCompleteEachRowWithoutPrefetch) {
  load(echoProgram(kOne));
  Source source;
  run(source);
  EXPECT_THAT(source.calls,
              ElementsAre("fetch 0/0", "complete 0/0", "take 1/0", "fetch 0/0", "complete 0/0",
                          "take 1/0", "fetch 0/0", "complete 0/0", "take 1/0"));
}

TEST_F(Streams, PrefetchAtTheBeginningAndAfterEachComplete) {
  Program program = echoProgram(kOne);
  program.prefetch = true;
  load(std::move(program));
  Source source(true);
  run(source);
  EXPECT_THAT(callsOfStream(source, 0),
              ElementsAre("prefetch 0/0", "complete 0/0", "prefetch 0/0", "complete 0/0",
                          "prefetch 0/0", "complete 0/0", "prefetch 0/0"));
}

TEST_F(Streams, FetchRowsThatPrefetchDidNotProvide) {
  Program program = echoProgram(kOne);
  program.prefetch = true;
  load(std::move(program));
  Source source(false);
  run(source);
  EXPECT_THAT(callsOfStream(source, 0),
              ElementsAre("prefetch 0/0", "fetch 0/0", "complete 0/0", "prefetch 0/0", "fetch 0/0",
                          "complete 0/0", "prefetch 0/0", "fetch 0/0", "complete 0/0",
                          "prefetch 0/0"));
  EXPECT_THAT(source.taken[0], ElementsAre(1, 2, 3));
}

TEST_F(Streams, PrefetchAsFarAheadAsThereAreBuffers) {
  Program program = echoProgram(kOne);
  program.prefetch = true;
  program.streams[kIn].bufferingDepth = 3;
  load(std::move(program));
  Source source(true);
  run(source);
  const auto calls = callsOfStream(source, 0);
  EXPECT_THAT(
      std::vector<std::string>(calls.begin(), calls.begin() + 5),
      ElementsAre("prefetch 0/0", "prefetch 0/0", "prefetch 0/0", "complete 0/0", "prefetch 0/0"));
}

TEST_F(Streams, KeepPrefetchedRowsForTheNextRun) {
  Program program = echoProgram(kOne);
  program.prefetch = true;
  load(std::move(program));
  Source source(true);
  run(source);
  run(source);
  EXPECT_THAT(source.taken[0], ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(Streams, DropPrefetchedRowsOnRequest) {
  Program program = echoProgram(kOne);
  program.prefetch = true;
  load(std::move(program));
  Source source(true);
  run(source);
  machine_->invalidatePrefetched(kIn, source);
  EXPECT_EQ(source.calls.back(), "invalidate 0/0");
  Source other(false);
  run(other);
  EXPECT_THAT(other.taken[0], ElementsAre(1, 2, 3));
}

TEST_F(Streams, TakeLessModelledTimeWithPrefetchHoweverSlowTheHandler) {
  Program program = echoProgram(kOne);
  load(program);
  Source onDemand;
  const wire::Cycles waited = run(onDemand);
  program.prefetch = true;
  ASSERT_TRUE(machine_->load(program).ok());
  Source ahead(true);
  ahead.onPrefetch = [fill = ahead.onPrefetch](std::uint32_t stream, std::uint32_t replica,
                                               auto row) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20)); // long after the IPU has asked
    return fill(stream, replica, row);
  };
  const wire::Cycles slow = run(ahead);
  ASSERT_TRUE(machine_->load(program).ok());
  Source quick(true);
  EXPECT_EQ(run(quick), slow);
  EXPECT_LT(slow, waited);
}

TEST_F(Streams, FetchABroadcastRowOnceForAllReplicas) {
  Program program = echoProgram({"", Transport::Inproc, 4, 1}, true);
  load(std::move(program));
  Source source;
  run(source);
  EXPECT_EQ(std::count(source.calls.begin(), source.calls.end(), "fetch 0/0"), 3);
  EXPECT_EQ(std::count(source.calls.begin(), source.calls.end(), "complete 0/0"), 3);
  for (std::uint32_t replica = 0; replica < 4; ++replica)
    EXPECT_THAT(source.taken[replica], ElementsAre(1, 2, 3)) << "replica " << replica;
}

TEST_F(Streams, SendBroadcastRowsAheadToAllReplicas) {
  Program program = echoProgram({"", Transport::Inproc, 4, 1}, true);
  program.prefetch = true;
  program.streams[kIn].bufferingDepth = 2;
  load(std::move(program));
  Source source(true);
  run(source);
  run(source);
  EXPECT_EQ(std::count(source.calls.begin(), source.calls.end(), "prefetch 0/0"), 8);
  EXPECT_EQ(std::count(source.calls.begin(), source.calls.end(), "complete 0/0"), 6);
  for (std::uint32_t replica = 0; replica < 4; ++replica)
    EXPECT_THAT(source.taken[replica], ElementsAre(1, 2, 3, 4, 5, 6)) << "replica " << replica;
}

TEST_F(Streams, ShareThePartsOfABroadcastRowAmongReplicas) {
  const Shape shape{"", Transport::Inproc, 3, 2};
  for (const bool prefetch : {false, true}) {
    Program program = echoProgram(shape, true);
    program.prefetch = prefetch;
    program.streams[kIn].bufferingDepth = 2;
    load(std::move(program));
    Source source(prefetch);
    run(source);
    run(source);
    for (std::uint32_t replica = 0; replica < shape.replicas; ++replica)
      EXPECT_THAT(source.taken[replica],
                  ElementsAre(1, 101, 2, 102, 3, 103, 4, 104, 5, 105, 6, 106))
          << "replica " << replica;
  }
}

TEST_F(Streams, ServeTwoStepsOfAProgramInItsOrder) {
  Program program;
  program.modules = codelets().bytes();
  program.streams = {{"in", Direction::ToDevice, 4, false, 2}, {"out", Direction::ToHost, 8}};
  program.prefetch = true;
  ImageWriter writer(codelets().ref());
  const wire::Step first = writer.transfer(kIn, Direction::ToDevice, ImageWriter::row(kWord, 1));
  const wire::Step second =
      writer.transfer(kIn, Direction::ToDevice, ImageWriter::row(kWord + 4, 1));
  const wire::Step out = writer.transfer(kOut, Direction::ToHost, ImageWriter::row(kWord, 2));
  writer.program({second, first, out});
  program.images.push_back(writer.shared());
  load(std::move(program));
  Source source(true);
  run(source);
  EXPECT_THAT(source.taken[0], ElementsAre(1, 0));
}

TEST_F(Streams, TakeMoreRowsThanMayBeUnderway) {
  Program program;
  program.modules = codelets().bytes();
  program.streams = {{"in", Direction::ToDevice, 4}, {"out", Direction::ToHost, 4}};
  ImageWriter writer(codelets().ref());
  const wire::Step out = writer.transfer(kOut, Direction::ToHost, ImageWriter::row(kWord, 1));
  writer.program({repeat(200, 2), writer.vertex("add", {kWord, 1}), out});
  program.images.push_back(writer.shared());
  load(std::move(program));
  Source source;
  run(source);
  std::vector<std::uint32_t> expected(200);
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(source.taken[0], expected);
}

TEST_F(Streams, CallTheHandlerForAStreamOfNoElements) {
  Program program;
  program.modules = codelets().bytes();
  program.streams = {{"in", Direction::ToDevice, 0}, {"out", Direction::ToHost, 0}};
  ImageWriter writer(codelets().ref());
  const wire::Step in = writer.transfer(kIn, Direction::ToDevice, {});
  const wire::Step out = writer.transfer(kOut, Direction::ToHost, {});
  writer.program({in, out});
  program.images.push_back(writer.shared());
  load(std::move(program));
  Source source;
  run(source);
  EXPECT_THAT(source.calls, ElementsAre("fetch 0/0", "complete 0/0", "take 1/0"));
}

TEST_F(Streams, PrintWholeTensors) {
  Program program;
  program.modules = codelets().bytes();
  ImageWriter writer(codelets().ref());
  writer.image.prints.push_back({0, ImageWriter::row(kWord, 1)});
  writer.program({writer.vertex("add", {kWord, 7}), step(Op::Print)});
  program.images.push_back(writer.shared());
  load(std::move(program));
  RecordingHandler handler;
  run(handler);
  ASSERT_EQ(handler.printed.size(), 1U);
  EXPECT_EQ(test::wordOf(handler.printed[0]), 7U);
}

TEST_F(Streams, RefuseAViewThatDoesNotFitIntoItsRow) {
  machine_ = machineOf(kOne);
  Program program = echoProgram(kOne);
  program.streams[kIn].rowBytes = 2;
  const auto status = machine_->load(std::move(program));
  EXPECT_EQ(status.code, wire::Code::InvalidImage);
  EXPECT_THAT(status.message, ::testing::HasSubstr("'in'"));
}

} // namespace
} // namespace copse::session
