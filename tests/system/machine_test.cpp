#include "images.hpp"
#include "machines.hpp"
#include "sanitizers.hpp"
#include "shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

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
using ::testing::Not;
using wire::Op;

/// Returns a program with one word per IPU, to which each run of program 0 adds the IPU's number
/// within the replica, and one.
Program countingProgram(const Shape &shape) {
  Program program;
  program.replicas = shape.replicas;
  program.modules = codelets().bytes();
  for (std::uint32_t ipu = 0; ipu < shape.ipusPerReplica; ++ipu) {
    ImageWriter writer(codelets().ref(), ipu, shape.ipusPerReplica);
    writer.image.hostViews.push_back(ImageWriter::part(kWord, 1, ipu, shape.ipusPerReplica));
    writer.program({writer.vertex("add", {kWord, ipu + 1})});
    program.images.push_back(writer.shared());
  }
  return program;
}

const Shape kShapes[] = {
    {"OneInproc", Transport::Inproc, 1, 1},  {"OneIpc", Transport::Ipc, 1, 1},
    {"OneTcp", Transport::Tcp, 1, 1},        {"TwoReplicasIpc", Transport::Ipc, 2, 1},
    {"FourInOneIpc", Transport::Ipc, 1, 4},  {"TwoOfTwoTcp", Transport::Tcp, 2, 2},
    {"FourOfTwoIpc", Transport::Ipc, 4, 2},  {"EightReplicasInproc", Transport::Inproc, 8, 1},
    {"SixtyFourIpc", Transport::Ipc, 32, 2}, {"OneShm", Transport::Shm, 1, 1},
    {"FourOfTwoShm", Transport::Shm, 4, 2},  {"SixtyFourShm", Transport::Shm, 32, 2},
};
const auto kShapeName = [](const ::testing::TestParamInfo<Shape> &shape) {
  return std::string(shape.param.name);
};

/// Returns how many sockets of a process listen over TCP.
std::size_t listeningOverTcp(int pid) {
  namespace fs = std::filesystem;
  const std::string process = "/proc/" + std::to_string(pid);
  std::set<std::string> listening;
  std::ifstream table(process + "/net/tcp");
  for (std::string line; std::getline(table, line);) {
    constexpr std::size_t kState = 3, kInode = 9;
    std::istringstream words(line);
    const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
    if (fields.size() > kInode && fields[kState] == "0A")
      listening.insert("socket:[" + fields[kInode] + "]");
  }
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto &entry : fs::directory_iterator(process + "/fd"))
    count += listening.count(fs::read_symlink(entry.path(), ignored));
  return count;
}

/// Loopback is open to all users of the machine.
TEST(MachineOverTcp, UsesUnixSocketsForRequestsAndSyncMessages) {
  const auto machine = machineOf({"", Transport::Tcp, 2, 1});
  ASSERT_NE(machine, nullptr);
  ASSERT_EQ(machine->processes().size(), 2U);
  for (const int pid : machine->processes())
    EXPECT_EQ(listeningOverTcp(pid), 1U) << "for links";
}

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

/// Returns the files that process \p pid has mapped, among other words.
std::string mapsOf(int pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  return {std::istreambuf_iterator<char>(maps), {}};
}

TEST(IpudWithoutKeys, RunsCodeletsWithoutTheMemoryOfOpenSsl) {
  const Shape shape{"", Transport::Ipc, 1, 1};
  const auto machine = machineOf(shape);
  ASSERT_NE(machine, nullptr);
  const auto loaded = machine->load(countingProgram(shape));
  ASSERT_TRUE(loaded.ok()) << loaded.message;
  RecordingHandler handler;
  ASSERT_TRUE(machine->run(0, handler).ok());
  const std::string maps = mapsOf(machine->processes().front());
  EXPECT_THAT(maps, HasSubstr("libzmq"));
  EXPECT_THAT(maps, Not(HasSubstr("libcrypto")));
  EXPECT_THAT(maps, Not(HasSubstr("libssl")));
}

/// Returns an image of which \p bytes are records, and as many are data.
std::shared_ptr<const wire::Image> largeImage(std::size_t bytes) {
  ImageWriter writer(codelets().ref());
  wire::Exchange never;
  never.moves.resize(bytes / sizeof(wire::Move),
                     {{0, kWord}, {0, kWord + 4}, 4, 1, 0, 0}); // one like the other
  never.overlapping = true;
  writer.image.exchanges.push_back(std::move(never));
  writer.image.data.resize(bytes, std::byte{1});
  writer.program({});
  return writer.shared();
}

/// Returns the most memory that this process had resident since the last restartPeak() [bytes].
std::size_t peakResident() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::size_t kibibytes = 0; word == "VmHWM:" && status >> kibibytes)
      return kibibytes * 1024;
  return 0;
}

bool restartPeak() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

TEST(LoadingAnImage, CopiesItsRecordsTwiceAndItsDataNotAtAll) {
  if (test::kAddressSanitizer || test::kThreadSanitizer)
    GTEST_SKIP() << "sanitizers keep freed memory";
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const auto machine = machineOf({"", Transport::Ipc, 1, 1});
  ASSERT_NE(machine, nullptr);
  Program program;
  program.modules = codelets().bytes();
  program.images.push_back(largeImage(kBytes));
  ASSERT_TRUE(restartPeak());
  const std::size_t before = peakResident();
  const auto status = machine->load(std::move(program));
  ASSERT_TRUE(status.ok()) << status.message;
  const std::size_t grown = peakResident() - before;
  EXPECT_GT(grown, kBytes / 2) << "the measurement sees no copy at all";
  EXPECT_LT(grown, 2 * kBytes + kBytes / 4);
}

} // namespace
} // namespace copse::session
