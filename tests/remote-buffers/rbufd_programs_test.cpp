// Poplar programs whose remote buffers an rbufd keeps.
#include "rbufd_process.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <unistd.h>

namespace copse {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr unsigned kElements = 4;

class RbufdPrograms : public ::testing::TestWithParam<TargetType> {
protected:
  RbufdPrograms() : daemon_(std::make_unique<test::Rbufd>(arguments())) {
    ::setenv("COPSE_RBUFD", daemon_->endpoint().c_str(), 1);
    auto devices = DeviceManager().getDevices(GetParam(), 1);
    device_ = std::move(devices.front());
    EXPECT_TRUE(device_.attach());
  }
  ~RbufdPrograms() override {
    ::unsetenv("COPSE_RBUFD");
    ::unsetenv("COPSE_RBUFD_NAME");
  }
  std::vector<std::string> arguments() const {
    return {"--listen", "ipc://" + folder_.file("socket"), "--directory", folder_.file("rows")};
  }

  /// A program whose run swaps the rows 0 and 1 of "b".
  Engine swapper(unsigned rows = 2) {
    Graph graph(device_);
    const RemoteBuffer buffer = graph.addRemoteBuffer("b", INT, kElements, rows);
    const Tensor first = graph.addVariable(INT, {kElements}, "first"),
                 second = graph.addVariable(INT, {kElements}, "second"),
                 zero = graph.addConstant(UNSIGNED_INT, {}, 0),
                 one = graph.addConstant(UNSIGNED_INT, {}, 1);
    for (const Tensor &tensor : {first, second, zero, one})
      graph.setTileMapping(tensor, 0);
    Engine engine(graph, Sequence({Copy(buffer, first, zero), Copy(buffer, second, one),
                                   Copy(first, buffer, one), Copy(second, buffer, zero)}));
    engine.load(device_);
    return engine;
  }
  static std::vector<int> row(Engine &engine, std::uint64_t number) {
    std::vector<int> values(kElements);
    engine.copyFromRemoteBuffer("b", values.data(), number);
    return values;
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<test::Rbufd> daemon_;
  Device device_;
};
INSTANTIATE_TEST_SUITE_P(Devices, RbufdPrograms,
                         ::testing::Values(TargetType::CPU, TargetType::IPU), [](const auto &type) {
                           return std::string(type.param == TargetType::CPU ? "Cpu" : "Ipu");
                         });

TEST_P(RbufdPrograms, FindTheRowsOfTheOneBefore) {
  {
    Engine engine = swapper();
    const int first[] = {1, 2, 3, 4}, second[] = {5, 6, 7, 8};
    engine.copyToRemoteBuffer(first, "b", 0);
    engine.copyToRemoteBuffer(second, "b", 1);
    engine.run();
    EXPECT_THAT(row(engine, 0), ElementsAre(5, 6, 7, 8));
  }
  daemon_->process().kill(SIGKILL);
  ASSERT_TRUE(daemon_->process().wait(std::chrono::seconds(5)));
  daemon_ = std::make_unique<test::Rbufd>(arguments());
  Engine engine = swapper();
  EXPECT_THAT(row(engine, 1), ElementsAre(1, 2, 3, 4));
  engine.run();
  EXPECT_THAT(row(engine, 0), ElementsAre(1, 2, 3, 4));
}

TEST_P(RbufdPrograms, AreApartByName) {
  Engine one = swapper();
  const int values[] = {1, 2, 3, 4};
  one.copyToRemoteBuffer(values, "b", 0);
  ::setenv("COPSE_RBUFD_NAME", "another", 1);
  Engine other = swapper();
  EXPECT_THAT(row(other, 0), ElementsAre(0, 0, 0, 0));
}

TEST_P(RbufdPrograms, AreToldOfABufferOfAnotherSize) {
  { Engine engine = swapper(2); }
  try {
    swapper(3);
    FAIL() << "3 rows in a buffer of 2";
  } catch (const poplar_error &e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(HasSubstr("'b'"), HasSubstr("2 rows of 16 bytes"),
                                           HasSubstr("3 rows of 16 bytes")));
  }
}

TEST_P(RbufdPrograms, AreToldOfAFullDiskAndLoseNothing) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root may mount a small disk";
  constexpr unsigned kWords = 16 * 1024, kRows = 64;
  const std::string disk = folder_.file("rows");
  daemon_.reset();
  std::filesystem::create_directories(disk);
  daemon_ = std::make_unique<test::Rbufd>(
      arguments(),
      std::vector<std::string>{"unshare", "-m", "sh", "-c",
                               "mount -t tmpfs -o size=2m none \"$0\" && exec \"$@\"", disk});
  Graph graph(device_);
  const RemoteBuffer buffer = graph.addRemoteBuffer("b", INT, kWords, kRows);
  const Tensor data = graph.addVariable(INT, {kWords}, VariableMappingMethod::LINEAR, "data");
  const Tensor row = graph.addVariable(UNSIGNED_INT, {}, VariableMappingMethod::LINEAR, "row");
  graph.createHostWrite("data", data);
  graph.createHostWrite("row", row);
  Engine engine(graph, Copy(data, buffer, row, "keep"));
  engine.load(device_);
  unsigned written = 0;
  std::string said;
  for (; written < kRows && said.empty(); ++written) {
    const std::vector<int> values(kWords, static_cast<int>(written) + 1);
    engine.writeTensor("data", values.data(), values.data() + kWords);
    engine.writeTensor("row", &written, &written + 1);
    try {
      engine.run();
    } catch (const unrecoverable_runtime_error &error) {
      said = error.what();
      --written;
    }
  }
  EXPECT_THAT(said, ::testing::AllOf(HasSubstr("'keep'"), HasSubstr("replica 0 of 1"),
                                     HasSubstr("remote buffer 'b'"), HasSubstr("row ")));
  EXPECT_GT(written, 5u);
  engine.load(device_);
  for (unsigned r = 0; r < written; ++r) {
    std::vector<int> values(kWords);
    engine.copyFromRemoteBuffer("b", values.data(), r);
    EXPECT_EQ(values, std::vector<int>(kWords, static_cast<int>(r) + 1)) << r;
  }
}

} // namespace
} // namespace copse
