#include "images.hpp"
#include "ring_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace copse::session {
namespace {

using test::codelets;
using test::ImageWriter;
using test::kWord;
using test::machineOf;
using test::RecordingHandler;
using test::Shape;
using test::step;
using ::testing::HasSubstr;
using wire::Direction;
using wire::Op;

struct RingCase {
  const char *name;
  Shape shape;
  bool across;
};
const RingCase kRings[] = {
    {"TwoIpc", {"", Transport::Ipc, 1, 2}, false},
    {"TwoOfFourTcp", {"", Transport::Tcp, 2, 4}, false},
    {"TwoShm", {"", Transport::Shm, 1, 2}, false},
    {"SixShm", {"", Transport::Shm, 1, 6}, false},
    {"AcrossFourOfTwoShm", {"", Transport::Shm, 4, 2}, true},
    {"FourInproc", {"", Transport::Inproc, 1, 4}, false},
    {"AcrossTwoIpc", {"", Transport::Ipc, 2, 1}, true},
    {"AcrossFourOfTwoIpc", {"", Transport::Ipc, 4, 2}, true},
    {"AcrossEightInproc", {"", Transport::Inproc, 8, 1}, true},
};
class RingOfShape : public ::testing::TestWithParam<RingCase> {};
INSTANTIATE_TEST_SUITE_P(Shapes, RingOfShape, ::testing::ValuesIn(kRings),
                         [](const auto &p) { return std::string(p.param.name); });

TEST_P(RingOfShape, PassesWordsOverTheLinks) {
  const auto &[name, shape, across] = GetParam();
  const auto machine = machineOf(shape);
  ASSERT_NE(machine, nullptr);
  const auto loaded = machine->load(test::ringProgram(shape, across));
  ASSERT_TRUE(loaded.ok()) << loaded.message;
  std::vector<std::uint32_t> words(shape.ipus());
  std::iota(words.begin(), words.end(), 100);
  ASSERT_TRUE(machine->write(0, test::bytesOf(words)).ok());
  RecordingHandler handler;
  std::vector<wire::Cycles> ends;
  for (int run = 0; run < 3; ++run) {
    const auto report = machine->run(0, handler);
    ASSERT_TRUE(report.ok()) << report.status().message;
  }
  std::vector<std::uint32_t> got(shape.ipus());
  ASSERT_TRUE(machine->read(1, test::bytesOf(got)).ok());
  const std::uint32_t n = shape.ipusPerReplica;
  for (std::uint32_t ipu = 0; ipu < shape.ipus(); ++ipu) {
    const std::uint32_t replica = ipu / n, number = ipu % n;
    // The map says from which replica each one receives; without one, the ring is inside the
    // replica.
    const std::uint32_t giver = across
                                    ? (replica + shape.replicas - 1) % shape.replicas * n + number
                                    : replica * n + (number + n - 1) % n;
    EXPECT_EQ(got[ipu], 100 + giver) << "ipu " << ipu;
  }
}

/// Adds 1 to row `rows[i]` of a remote buffer for each i, and puts the results into rows[i] + 1.
/// View 0: the row numbers to read; view 1: those to write.
Program rowProgram(const Shape &shape) {
  constexpr std::uint32_t kRows = 2, kNumbers = kWord, kTargets = kWord + 0x40,
                          kData = kWord + 0x80;
  Program program;
  program.replicas = shape.replicas;
  program.modules = codelets().bytes();
  const std::uint32_t n = shape.ipusPerReplica;
  program.remoteBuffers = {{"weights", 4 * n, 4}};
  for (std::uint32_t ipu = 0; ipu < n; ++ipu) {
    ImageWriter writer(codelets().ref(), ipu, n);
    // All IPUs have the same numbers, because the host writes them to all.
    auto numbers = ImageWriter::row(kNumbers, kRows), targets = ImageWriter::row(kTargets, kRows);
    writer.image.hostViews = {numbers, targets};
    wire::HostView data; // this IPU's word of each of two rows
    data.regions = {ImageWriter::words(kData, kRows)};
    data.pieces = {{4 * ipu, 4}, {4 * n + 4 * ipu, 4}};
    data.bytes = 4 * kRows;
    data.rowBytes = 4 * n * kRows;
    const auto copy = [&](Direction direction, std::uint32_t offsets) {
      wire::RemoteCopy one;
      one.name = "rows";
      one.direction = direction;
      one.rows = kRows;
      one.rowBytes = 4 * n;
      one.hasOffsets = true;
      one.offsets = ImageWriter::words(offsets, kRows);
      one.view = data;
      one.replicaBytes = 4 * n * kRows;
      writer.image.remoteCopies.push_back(one);
    };
    copy(Direction::ToDevice, kNumbers);
    copy(Direction::ToHost, kTargets);
    writer.program({step(Op::RemoteCopy, 0), writer.vertex("add", {kData, 1}),
                    writer.vertex("add", {kData + 4, 1}), step(Op::RemoteCopy, 1)});
    program.images.push_back(writer.shared());
  }
  return program;
}

TEST(RemoteRows, AreReadAndWrittenByEachReplica) {
  const Shape shape{"", Transport::Ipc, 2, 2};
  const auto machine = machineOf(shape);
  ASSERT_NE(machine, nullptr);
  const auto loaded = machine->load(rowProgram(shape));
  ASSERT_TRUE(loaded.ok()) << loaded.message;
  for (std::uint32_t replica = 0; replica < 2; ++replica)
    for (std::uint64_t row = 0; row < 4; ++row) {
      const std::vector<std::uint32_t> words{1000 * replica + static_cast<std::uint32_t>(row) * 10,
                                             5};
      ASSERT_TRUE(machine->writeRow(0, replica, row, test::bytesOf(words)).ok());
    }
  ASSERT_TRUE(machine->write(0, test::bytesOf(std::vector<std::uint32_t>{2, 0})).ok());
  ASSERT_TRUE(machine->write(1, test::bytesOf(std::vector<std::uint32_t>{1, 3})).ok());
  RecordingHandler handler;
  const auto report = machine->run(0, handler);
  ASSERT_TRUE(report.ok()) << report.status().message;
  for (std::uint32_t replica = 0; replica < 2; ++replica) {
    std::vector<std::uint32_t> words(2);
    ASSERT_TRUE(machine->readRow(0, replica, 1, test::bytesOf(words)).ok());
    EXPECT_THAT(words, ::testing::ElementsAre(1000 * replica + 21, 6));
    ASSERT_TRUE(machine->readRow(0, replica, 3, test::bytesOf(words)).ok());
    EXPECT_THAT(words, ::testing::ElementsAre(1000 * replica + 1, 6));
  }
}

TEST(RemoteRows, FailTheRunIfTheyDoNotExist) {
  const Shape shape{"", Transport::Inproc, 1, 1};
  const auto machine = machineOf(shape);
  ASSERT_NE(machine, nullptr);
  ASSERT_TRUE(machine->load(rowProgram(shape)).ok());
  ASSERT_TRUE(machine->write(0, test::bytesOf(std::vector<std::uint32_t>{2, 7})).ok());
  RecordingHandler handler;
  const auto status = machine->run(0, handler).status();
  EXPECT_EQ(status.code, wire::Code::NotFound);
  EXPECT_THAT(status.message, HasSubstr("'weights'"));
  EXPECT_THAT(status.message, HasSubstr("row 7"));
}

} // namespace
} // namespace copse::session
