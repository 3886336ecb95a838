#include "images.hpp"
#include "machines.hpp"
#include "shapes.hpp"

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
using wire::Op;

/// One word per IPU, to which each run of program 0 adds the IPU's number within the replica, and
/// one.
Program countingProgram(const Shape &shape) {
  Program program;
  program.replicas = shape.replicas;
  program.modules = codelets().bytes();
  for (std::uint32_t ipu = 0; ipu < shape.ipusPerReplica; ++ipu) {
    ImageWriter writer(codelets().ref(), ipu, shape.ipusPerReplica);
    writer.image.hostViews.push_back(ImageWriter::part(kWord, 1, ipu, shape.ipusPerReplica));
    writer.program({writer.vertex("add", {kWord, ipu + 1})});
    program.images.push_back(writer.image);
  }
  return program;
}

const Shape kShapes[] = {
    {"OneInproc", Transport::Inproc, 1, 1},  {"OneIpc", Transport::Ipc, 1, 1},
    {"OneTcp", Transport::Tcp, 1, 1},        {"TwoReplicasIpc", Transport::Ipc, 2, 1},
    {"FourInOneIpc", Transport::Ipc, 1, 4},  {"TwoOfTwoTcp", Transport::Tcp, 2, 2},
    {"FourOfTwoIpc", Transport::Ipc, 4, 2},  {"EightReplicasInproc", Transport::Inproc, 8, 1},
    {"SixtyFourIpc", Transport::Ipc, 32, 2},
};
const auto kShapeName = [](const ::testing::TestParamInfo<Shape> &shape) {
  return std::string(shape.param.name);
};

class MachineOfShape : public ::testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, MachineOfShape, ::testing::ValuesIn(kShapes), kShapeName);

TEST_P(MachineOfShape, RunsCodeletsBetweenWritingAndReadingViews) {
  const Shape &shape = GetParam();
  const auto machine = machineOf(shape);
  ASSERT_NE(machine, nullptr);
  const auto loaded = machine->load(countingProgram(shape));
  ASSERT_TRUE(loaded.ok()) << loaded.message;

  std::vector<std::uint32_t> words(shape.ipus());
  std::iota(words.begin(), words.end(), 100);
  ASSERT_TRUE(machine->write(0, test::bytesOf(words)).ok());
  RecordingHandler handler;
  for (int run = 0; run < 2; ++run) {
    const auto report = machine->run(0, handler);
    ASSERT_TRUE(report.ok()) << report.status().message;
    EXPECT_EQ(report->ipus.size(), shape.ipus());
    EXPECT_GT(report->end().value, 0U);
  }
  std::vector<std::uint32_t> got(shape.ipus());
  ASSERT_TRUE(machine->read(0, test::bytesOf(got)).ok());
  for (std::uint32_t ipu = 0; ipu < shape.ipus(); ++ipu)
    EXPECT_EQ(got[ipu], 100 + ipu + 2 * (ipu % shape.ipusPerReplica + 1));
}

} // namespace
} // namespace copse::session
