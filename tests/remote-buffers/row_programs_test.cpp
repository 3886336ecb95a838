// Tests Poplar programs whose remote buffers outlive them: in an rbufd, or in files of their own.
#include "namespaces.hpp"
#include "rbufd_process.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>

namespace copse {
namespace {

using namespace poplar;
using namespace poplar::program;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr unsigned kElements = 4;

/// A place for rows, which the environment tells the programs.
class Keeper {
public:
  virtual ~Keeper() {
    ::unsetenv("COPSE_RBUFD");
    ::unsetenv("COPSE_ROWS_DIRECTORY");
    ::unsetenv("COPSE_RBUFD_NAME");
  }
  virtual void begin() = 0;
  /// Starts on a disk of two MiB.
  virtual void beginOnASmallDisk() = 0;
  /// Ends as suddenly as can be and begins again.
  virtual void restart() = 0;

protected:
  /// Returns words to put before a command that needs a small disk at \p path.
  static std::vector<std::string> withSmallDisk(const std::string &path) {
    fs::create_directories(path);
    return {"unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=2m none \"$0\" && exec \"$@\"",
            path};
  }
  test::TemporaryFolder folder_;
};

class RbufdKeeper : public Keeper {
public:
  void begin() override { begin({}); }
  void beginOnASmallDisk() override { begin(withSmallDisk(folder_.file("rows"))); }
  void restart() override {
    daemon_->process().kill(SIGKILL);
    ASSERT_TRUE(daemon_->process().wait(seconds(5)));
    begin();
  }

private:
  void begin(std::vector<std::string> before) {
    daemon_ = std::make_unique<test::Rbufd>(
        std::vector<std::string>{"--listen", "ipc://" + folder_.file("socket"), "--directory",
                                 folder_.file("rows")},
        std::move(before));
    ::setenv("COPSE_RBUFD", daemon_->endpoint().c_str(), 1);
    ::setenv("COPSE_RBUFD_NAME", "program", 0);
  }
  std::unique_ptr<test::Rbufd> daemon_;
};

/// Stores rows in files of the host program itself.
class DirectoryKeeper : public Keeper {
public:
  void begin() override { ::setenv("COPSE_ROWS_DIRECTORY", folder_.file("rows").c_str(), 1); }
  void beginOnASmallDisk() override {
    const std::string disk = folder_.file("disk");
    auto command = withSmallDisk(disk);
    command.insert(command.end(), {"sh", "-c", "echo mounted; exec sleep 600"});
    mounter_ = std::make_unique<test::ChildProcess>(std::move(command));
    ASSERT_TRUE(mounter_->waitForOutput("mounted", seconds(10))) << mounter_->errors();
    const std::string seen = "/proc/" + std::to_string(mounter_->pid()) + "/root" + disk + "/rows";
    ::setenv("COPSE_ROWS_DIRECTORY", seen.c_str(), 1);
  }
  void restart() override {} // the test's engine has gone, and with it all who knew of the files

private:
  std::unique_ptr<test::ChildProcess> mounter_;
};

struct Case {
  const char *name;
  TargetType device;
  std::unique_ptr<Keeper> (*keeper)();
};
template <class K> std::unique_ptr<Keeper> make() { return std::make_unique<K>(); }
const Case kCases[] = {{"RbufdCpu", TargetType::CPU, make<RbufdKeeper>},
                       {"RbufdIpu", TargetType::IPU, make<RbufdKeeper>},
                       {"FilesCpu", TargetType::CPU, make<DirectoryKeeper>},
                       {"FilesIpu", TargetType::IPU, make<DirectoryKeeper>}};

class RowPrograms : public ::testing::TestWithParam<Case> {
protected:
  RowPrograms() : keeper_(GetParam().keeper()) {
    auto devices = DeviceManager().getDevices(GetParam().device, 1);
    device_ = std::move(devices.front());
    EXPECT_TRUE(device_.attach());
  }

  /// Returns a program whose run swaps the rows 0 and 1 of "b".
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

  std::unique_ptr<Keeper> keeper_;
  Device device_;
};
INSTANTIATE_TEST_SUITE_P(Kept, RowPrograms, ::testing::ValuesIn(kCases),
                         [](const auto &p) { return std::string(p.param.name); });

TEST_P(RowPrograms, FindTheRowsOfThePreviousProgram) {
  keeper_->begin();
  {
    Engine engine = swapper();
    const int first[] = {1, 2, 3, 4}, second[] = {5, 6, 7, 8};
    engine.copyToRemoteBuffer(first, "b", 0);
    engine.copyToRemoteBuffer(second, "b", 1);
    engine.run();
    EXPECT_THAT(row(engine, 0), ElementsAre(5, 6, 7, 8));
  }
  device_.detach();
  keeper_->restart();
  ASSERT_TRUE(device_.attach());
  Engine engine = swapper();
  EXPECT_THAT(row(engine, 1), ElementsAre(1, 2, 3, 4));
  engine.run();
  EXPECT_THAT(row(engine, 0), ElementsAre(1, 2, 3, 4));
}

TEST_P(RowPrograms, AreApartByName) {
  keeper_->begin();
  Engine one = swapper();
  const int values[] = {1, 2, 3, 4};
  one.copyToRemoteBuffer(values, "b", 0);
  ::setenv("COPSE_RBUFD_NAME", "another", 1);
  Engine other = swapper();
  EXPECT_THAT(row(other, 0), ElementsAre(0, 0, 0, 0));
}

TEST_P(RowPrograms, ReportABufferOfAnotherSize) {
  keeper_->begin();
  { Engine engine = swapper(2); }
  try {
    swapper(3);
    FAIL() << "3 rows in a buffer of 2";
  } catch (const poplar_error &e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("'b'"), HasSubstr("2 rows of 16 bytes"),
                                HasSubstr("3 rows of 16 bytes")));
  }
}

TEST_P(RowPrograms, ReportAFullDiskAndLoseNothing) {
  if (!test::mayUnshare(CLONE_NEWNS))
    GTEST_SKIP() << "this process may not mount a small disk";
  constexpr unsigned kWords = 16 * 1024, kRows = 64;
  keeper_->beginOnASmallDisk();
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
  EXPECT_THAT(said, AllOf(HasSubstr("'keep'"), HasSubstr("replica 0 of 1"),
                          HasSubstr("remote buffer 'b'"), HasSubstr("row ")));
  EXPECT_GT(written, 5u);
  engine.load(device_);
  for (unsigned r = 0; r < written; ++r) {
    std::vector<int> values(kWords);
    engine.copyFromRemoteBuffer("b", values.data(), r);
    EXPECT_EQ(values, std::vector<int>(kWords, static_cast<int>(r) + 1)) << r;
  }
  device_.detach(); // releases the disk before it is removed
}

TEST(RowsAtAnRbufd, AreFreshForEachLoadWithoutAName) {
  test::TemporaryFolder folder;
  const test::Rbufd daemon({"--listen", "ipc://" + folder.file("socket")});
  ::setenv("COPSE_RBUFD", daemon.endpoint().c_str(), 1);
  for (const unsigned replicas : {2u, 1u}) {
    auto devices = DeviceManager().getDevices(TargetType::IPU, replicas);
    ASSERT_TRUE(devices.front().attach());
    Graph graph(devices.front(), replication_factor(replicas));
    graph.addRemoteBuffer("b", INT, 1, 1);
    Engine engine(graph, Sequence());
    engine.load(devices.front());
    int value = -1;
    engine.copyFromRemoteBuffer("b", &value, 0);
    EXPECT_EQ(value, 0) << replicas << " replicas";
    engine.copyToRemoteBuffer(&(value = 7), "b", 0);
  }
  ::unsetenv("COPSE_RBUFD");
}

/// A cluster of one IPU, whose file names an rbufd.
class RowsOfACluster : public ::testing::Test {
protected:
  void SetUp() override {
    describe("");
    ipud_ = std::make_unique<test::ChildProcess>(std::vector<std::string>{
        COPSE_IPUD_PATH, "--cluster", file(), "--ipu", "0", "--log-level", "off"});
    ASSERT_TRUE(ipud_->waitForOutput("\n", seconds(20))) << ipud_->errors();
    ::setenv("COPSE_CLUSTER", file().c_str(), 1);
  }
  ~RowsOfACluster() override {
    ::unsetenv("COPSE_CLUSTER");
    ::unsetenv("COPSE_RBUFD_NAME");
  }
  std::string file() const { return folder_.file("cluster.json"); }
  /// Writes the cluster file.
  /// \param name  name of the rows; empty: they have no name
  void describe(const std::string &name) const {
    const std::string place = "ipc://" + folder_.file("");
    nlohmann::json rows{{"endpoint", rbufd_.endpoint()}};
    if (!name.empty())
      rows["name"] = name;
    std::ofstream(file()) << nlohmann::json{
        {"ipus", {{{"control", place + "c"}, {"link", place + "l"}, {"sync", place + "s"}}}},
        {"rbufd", rows}};
  }
  /// Runs a program that puts 7 into a row.
  /// \returns the value that it has found there
  static int foundInTheRow() {
    Device device = std::move(DeviceManager().getDevices(TargetType::IPU, 1).front());
    EXPECT_TRUE(device.attach());
    Graph graph(device);
    graph.addRemoteBuffer("b", INT, 1, 1);
    Engine engine(graph, Sequence());
    engine.load(device);
    int found = -1, seven = 7;
    engine.copyFromRemoteBuffer("b", &found, 0);
    engine.copyToRemoteBuffer(&seven, "b", 0);
    return found;
  }

private:
  test::TemporaryFolder folder_;
  test::Rbufd rbufd_{{"--listen", "ipc://" + folder_.file("rbufd")}};
  std::unique_ptr<test::ChildProcess> ipud_;
};

TEST_F(RowsOfACluster, EndWithTheirProgramWithoutAName) {
  EXPECT_EQ(foundInTheRow(), 0);
  EXPECT_EQ(foundInTheRow(), 0);
}

TEST_F(RowsOfACluster, AreStoredUnderTheNameInTheClusterFile) {
  describe("kept");
  EXPECT_EQ(foundInTheRow(), 0);
  EXPECT_EQ(foundInTheRow(), 7);
  ::setenv("COPSE_RBUFD_NAME", "another", 1);
  EXPECT_EQ(foundInTheRow(), 0) << "the environment takes precedence";
}

/// Rows in files, of programs that are processes of their own.
class RowFiles : public ::testing::Test {
protected:
  std::unique_ptr<test::ChildProcess> counter(const std::string &runs) const {
    return std::make_unique<test::ChildProcess>(
        std::vector<std::string>{COPSE_ROW_COUNTER_PATH, runs},
        std::map<std::string, std::string>{{"COPSE_ROWS_DIRECTORY", folder_.file("rows")}});
  }
  test::TemporaryFolder folder_;
};

TEST_F(RowFiles, SurviveAKilledHostProgram) {
  const auto first = counter("3");
  ASSERT_TRUE(first->waitForOutput("3\n", seconds(30))) << first->errors();
  first->kill(SIGKILL);
  ASSERT_TRUE(first->wait(seconds(5)));
  const auto second = counter("2");
  ASSERT_TRUE(second->waitForOutput("5\n", seconds(30))) << second->errors();
  EXPECT_EQ(second->output(), "4\n5\n");
}

TEST_F(RowFiles, BelongToOneProgramAtATime) {
  const auto first = counter("1");
  ASSERT_TRUE(first->waitForOutput("1\n", seconds(30))) << first->errors();
  const auto second = counter("1");
  EXPECT_EQ(second->wait(seconds(30)), 1);
  EXPECT_THAT(second->errors(),
              AllOf(HasSubstr(folder_.file("rows")), HasSubstr("in use by another process")));
}

TEST_F(RowFiles, CannotBeUsedTogetherWithAnRbufd) {
  test::ChildProcess refused({COPSE_ROW_COUNTER_PATH, "1"},
                             {{"COPSE_ROWS_DIRECTORY", folder_.file("rows")},
                              {"COPSE_RBUFD", "ipc://" + folder_.file("nobody")}});
  EXPECT_EQ(refused.wait(seconds(30)), 1);
  EXPECT_THAT(refused.errors(), HasSubstr("unset one of them"));
}

} // namespace
} // namespace copse
