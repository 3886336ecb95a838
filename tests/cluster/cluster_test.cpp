// Tests a cluster as its users see it: ipuds that run before a Poplar program and after it.
#include "cluster_nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using namespace poplar;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Makes this process a host program of the cluster, for as long as the object lives.
class InCluster {
public:
  explicit InCluster(const std::string &file) { ::setenv("COPSE_CLUSTER", file.c_str(), 1); }
  ~InCluster() { ::unsetenv("COPSE_CLUSTER"); }
  InCluster(const InCluster &) = delete;
  InCluster &operator=(const InCluster &) = delete;
};

/// Starts another host program, which holds \p ipus IPUs until it is ended.
ChildProcess hostOf(const ClusterNodes &nodes, unsigned ipus) {
  return ChildProcess({COPSE_HOST_PROGRAM, std::to_string(ipus)}, nodes.environment());
}

/// A program whose first IPU sends a word to its last one.
class SendsAWord {
public:
  explicit SendsAWord(const Device &device) : graph_(device), device_(device) {
    const Tensor from = graph_.addVariable(UNSIGNED_INT, {1}, "from");
    const Tensor to = graph_.addVariable(UNSIGNED_INT, {1}, "to");
    graph_.setTileMapping(from, 0);
    const Target &target = graph_.getTarget();
    graph_.setTileMapping(to, (target.getNumIPUs() - 1) * target.getTilesPerIPU());
    graph_.createHostWrite("from", from);
    graph_.createHostRead("to", to);
    engine_.emplace(graph_, program::Copy(from, to));
  }
  void load() { engine_->load(device_); }
  unsigned send(unsigned word) {
    unsigned got = 0;
    engine_->writeTensor("from", &word, &word + 1);
    engine_->run();
    engine_->readTensor("to", &got, &got + 1);
    return got;
  }

private:
  Graph graph_;
  const Device &device_;
  std::optional<Engine> engine_;
};

Device deviceOf(unsigned ipus) {
  return std::move(DeviceManager().getDevices(TargetType::IPU, ipus).at(0));
}

std::vector<std::vector<unsigned>> groups() {
  std::vector<std::vector<unsigned>> all;
  for (const Device &device : DeviceManager().getDevices()) {
    EXPECT_EQ(device.getId(), all.size());
    all.push_back(device.getDriverIDs());
  }
  return all;
}

TEST(Cluster, HasTheDevicesOfAMachineOfItsSize) {
  const ClusterNodes nodes(4);
  ::setenv("COPSE_IPUS", "4", 1);
  const auto without = groups();
  ::unsetenv("COPSE_IPUS");
  const InCluster in(nodes.file());
  EXPECT_EQ(groups(), without);
  EXPECT_EQ(without.size(), 7U) << "four IPUs, two pairs, all";
}

TEST(Cluster, ServesHostProgramsOneAfterAnother) {
  ClusterNodes nodes(2);
  const InCluster in(nodes.file());
  const auto pid = nodes.state(1).pid;
  for (unsigned word = 1; word <= 3; ++word) {
    const Device device = deviceOf(2);
    ASSERT_TRUE(device.attach());
    SendsAWord program(device);
    program.load();
    EXPECT_EQ(program.send(word), word);
  }
  EXPECT_EQ(nodes.state(1).sessions, 3U);
  EXPECT_EQ(nodes.state(1).pid, pid);
  EXPECT_FALSE(nodes.held(1));
}

TEST(Cluster, LetsTwoProgramsRunOnIpusOfTheirOwn) {
  ClusterNodes nodes(4);
  ChildProcess first = hostOf(nodes, 2), second = hostOf(nodes, 2);
  EXPECT_TRUE(first.waitForOutput(": 12345", 30s)) << first.output() << first.errors();
  EXPECT_TRUE(second.waitForOutput(": 12345", 30s)) << second.output() << second.errors();
  EXPECT_NE(first.output(), second.output()) << "both have the same device";
  ChildProcess third = hostOf(nodes, 1);
  EXPECT_EQ(third.wait(30s), 3) << third.output();
}

TEST(Cluster, AttachesIpusExclusively) {
  ClusterNodes nodes(4);
  ChildProcess other = hostOf(nodes, 2);
  ASSERT_TRUE(other.waitForOutput("device 4", 30s)) << other.errors();
  EXPECT_THAT(nodes.state(0).holder, HasSubstr("pid " + std::to_string(other.pid())));
  const InCluster in(nodes.file());
  const DeviceManager manager;
  EXPECT_FALSE(manager.getDevice(0).attach()) << "IPU 0 alone";
  EXPECT_FALSE(manager.getDevice(6).attach()) << "all four";
  EXPECT_FALSE(nodes.held(2)) << "of what cannot be had whole, nothing is kept";
  const Device mine = manager.getDevice(5);
  EXPECT_TRUE(mine.attach()) << "IPUs 2 and 3";
  EXPECT_TRUE(nodes.held(2) && nodes.held(3));
  mine.detach();
  EXPECT_FALSE(nodes.held(2) || nodes.held(3));
}

TEST(Cluster, FreesTheIpusOfAProgramThatDiedWithoutWaitingForItsLease) {
  ClusterNodes nodes(2, 10min);
  ChildProcess other = hostOf(nodes, 2);
  ASSERT_TRUE(other.waitForOutput("device 2", 30s)) << other.errors();
  other.kill(SIGKILL);
  EXPECT_TRUE(soon([&] { return !nodes.held(0) && !nodes.held(1); }));
  const InCluster in(nodes.file());
  const Device device = deviceOf(2);
  ASSERT_TRUE(device.attach());
  SendsAWord program(device);
  program.load();
  EXPECT_EQ(program.send(7), 7U) << "what the dead program left on the links is still there";
}

TEST(Cluster, ContinuesWithTheSameProgramAfterAnIpudIsRestarted) {
  ClusterNodes nodes(2);
  const InCluster in(nodes.file());
  const Device device = deviceOf(2);
  ASSERT_TRUE(device.attach());
  SendsAWord program(device);
  program.load();
  EXPECT_EQ(program.send(1), 1U);
  nodes.process(1).kill(SIGKILL);
  try {
    program.send(2);
    ADD_FAILURE() << "the run did not fail";
  } catch (const recoverable_runtime_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("ipu 1 of " + nodes.file()));
  }
  nodes.start(1);
  program.load();
  EXPECT_EQ(program.send(3), 3U);
  EXPECT_EQ(nodes.state(0).sessions, 1U) << "the ipud that lives was never given up";
}

TEST(Cluster, SharesTheSessionOfADeviceWithItsVirtualDevices) {
  ClusterNodes nodes(2);
  const InCluster in(nodes.file());
  std::optional<Device> device(deviceOf(2));
  ASSERT_TRUE(device->attach());
  const Device few = device->createVirtualDevice(4);
  ASSERT_TRUE(few.isAttached() && few.attach());
  EXPECT_EQ(few.getTarget().getNumTiles(), 8U);
  SendsAWord some(few);
  auto all = std::make_optional<SendsAWord>(*device);
  all->load();
  EXPECT_EQ(all->send(1), 1U);
  some.load();
  EXPECT_EQ(some.send(2), 2U);
  EXPECT_EQ(all->send(3), 3U) << "it was displaced, and loads itself again";
  all.reset(); // an engine keeps its device
  device.reset();
  EXPECT_TRUE(nodes.held(0)) << "the virtual device still has it";
  EXPECT_EQ(some.send(4), 4U);
  EXPECT_EQ(nodes.state(0).sessions, 1U);
  few.detach();
  EXPECT_TRUE(soon([&] { return !nodes.held(0) && !nodes.held(1); }));
}

TEST(Cluster, NamesTheNodeThatPreventsAnAttach) {
  ClusterNodes nodes(2);
  nodes.process(1).kill(SIGKILL);
  ChildProcess host = hostOf(nodes, 2);
  EXPECT_EQ(host.wait(30s), 3) << host.output();
  EXPECT_THAT(host.errors(), AllOf(HasSubstr("device 2 cannot be attached"),
                                   HasSubstr("ipu 1 of " + nodes.file())));
}

TEST(Cluster, NamesTheFaultInItsFile) {
  const InCluster in("/no/such/cluster.json");
  try {
    const DeviceManager manager;
    ADD_FAILURE() << "there is no such file";
  } catch (const no_environment &error) {
    EXPECT_THAT(error.what(), HasSubstr("COPSE_CLUSTER: cluster file /no/such/cluster.json"));
  }
}

TEST(Ipud, NamesVariablesWithInvalidValues) {
  const struct {
    const char *name, *value, *says;
  } cases[] = {
      {"COPSE_LINK_DEADLINE_MS", "abc",
       "ipud: COPSE_LINK_DEADLINE_MS is 'abc'; set it to a number from 1 to 3600000"},
      {"COPSE_LINK_DEADLINE_MS", "0",
       "COPSE_LINK_DEADLINE_MS is '0'; set it to a number from 1 to"},
      {"COPSE_CHECK_PAYLOADS", "maybe", "COPSE_CHECK_PAYLOADS is 'maybe'; set it to 0 or 1"}};
  for (const auto &c : cases) {
    ChildProcess ipud({COPSE_IPUD_PATH}, {{c.name, c.value}});
    EXPECT_EQ(ipud.wait(10s), 2) << c.says;
    EXPECT_THAT(ipud.errors(), HasSubstr(c.says));
  }
}

TEST(Ipud, NamesTheFaultInItsClusterFile) {
  ClusterNodes nodes(1);
  ChildProcess wrong({COPSE_IPUD_PATH, "--cluster", nodes.file(), "--ipu", "5"});
  EXPECT_EQ(wrong.wait(10s), 2);
  EXPECT_THAT(wrong.errors(), HasSubstr("has no ipu 5, but 1, counted from 0"));
  ChildProcess missing({COPSE_IPUD_PATH, "--cluster", "/no/such/file"});
  EXPECT_EQ(missing.wait(10s), 2);
  EXPECT_THAT(missing.errors(), HasSubstr("/no/such/file"));
}

/// Returns the results of digits, without those that depend on wall-clock time.
nlohmann::json resultsOf(const std::map<std::string, std::string> &environment) {
  const TemporaryFolder folder;
  ChildProcess digits(
      {DIGITS_PROGRAM, "--replicas", "4", "--epochs", "2", "--json", folder.file("results.json")},
      environment);
  EXPECT_EQ(digits.wait(100s), 0) << digits.errors();
  std::ifstream file(folder.file("results.json"));
  auto all = nlohmann::json::parse(file, nullptr, false);
  nlohmann::json some;
  for (const auto &[key, value] : all.items())
    // The cluster's IPUs are not processes of this program.
    if (key != "wall_s" && key != "ipud_processes")
      some[key] = value;
  return some;
}

TEST(Cluster, RunsAnUnmodifiedProgramToTheSameBits) {
  const ClusterNodes nodes(4);
  EXPECT_EQ(resultsOf(nodes.environment()), resultsOf({}));
}

} // namespace
} // namespace copse::test
