// Tests replicas of one program that several host programs run on one cluster, as real processes.
#include "cluster_nodes.hpp"
#include "sanitizers.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// Starts a host program that runs \p number replicas from \p first on.
std::unique_ptr<ChildProcess> host(const ClusterNodes &nodes, unsigned first, unsigned number,
                                   unsigned replicas, unsigned ipus,
                                   std::vector<std::string> words = {},
                                   const std::string &seconds = "60",
                                   const std::string &partition = "", const std::string &pod = "",
                                   const std::map<std::string, std::string> &variables = {}) {
  std::vector<std::string> command{COPSE_REPLICA_PROGRAM};
  for (const unsigned value : {first, number, replicas, ipus})
    command.push_back(std::to_string(value));
  command.insert(command.end(), words.begin(), words.end());
  auto environment = nodes.environment();
  environment["COPSE_PARTITION"] = partition;
  environment["COPSE_POD"] = pod;
  environment["POPLAR_ENGINE_OPTIONS"] = R"({"target.hostSyncTimeout": ")" + seconds +
                                         R"(", "copse.syncTimeout": ")" + seconds + R"("})";
  environment.insert(variables.begin(), variables.end());
  return std::make_unique<ChildProcess>(std::move(command), environment);
}

/// Waits for the end of a host program, and returns its lines that begin with \p word.
std::vector<std::string> linesOf(ChildProcess &one, const std::string &word) {
  EXPECT_EQ(one.wait(120s), 0) << one.output() << one.errors();
  std::vector<std::string> all;
  std::istringstream output(one.output());
  for (std::string line; std::getline(output, line);)
    if (line.rfind(word, 0) == 0)
      all.push_back(line);
  return all;
}

/// Returns the lines of all hosts that begin with "replica".
std::vector<std::string> results(const std::vector<std::unique_ptr<ChildProcess>> &hosts) {
  std::vector<std::string> all;
  for (const auto &one : hosts)
    for (std::string &line : linesOf(*one, "replica "))
      all.push_back(std::move(line));
  std::sort(all.begin(), all.end());
  return all;
}

struct Shape {
  const char *name;
  unsigned hosts, replicas, ipus; ///< ipus: in a replica
};

class SharedReplicas : public ::testing::TestWithParam<Shape> {};

TEST_P(SharedReplicas, GiveTheBitsAndCyclesOfOneHostProgram) {
  const auto &[name, count, replicas, ipus] = GetParam();
  const ClusterNodes nodes(replicas * ipus);
  std::vector<std::unique_ptr<ChildProcess>> alone, together;
  alone.push_back(host(nodes, 0, replicas, replicas, ipus));
  const auto expected = results(alone);
  ASSERT_EQ(expected.size(), replicas);
  const unsigned number = replicas / count;
  for (unsigned i = count; i-- > 0;) // the first one comes last
    together.push_back(host(nodes, i * number, number, replicas, ipus));
  EXPECT_EQ(results(together), expected);
}

INSTANTIATE_TEST_SUITE_P(Hosts, SharedReplicas,
                         ::testing::Values(Shape{"TwoOfOneReplica", 2, 2, 1},
                                           Shape{"TwoOfTwoReplicas", 2, 4, 1},
                                           Shape{"TwoOfTwoReplicasOfTwoIpus", 2, 4, 2},
                                           Shape{"FourOfOneReplica", 4, 4, 1},
                                           Shape{"EightOfOneReplica", 8, 8, 1}),
                         [](const auto &p) { return p.param.name; });

/// Writes a pod of four IPUs on machines of their own, whose hosts are slow.
std::string podOfHosts(const TemporaryFolder &folder, unsigned hosts) {
  const auto entry = [](const std::string &name, const std::string &value) {
    return ", \"" + name + "\": {\"value\": " + value +
           ", \"unit\": \"\", \"source\": \"this test\"}";
  };
  const std::string file = folder.file(std::to_string(hosts) + ".json");
  std::ofstream(file) << R"({"name": "slow", "like": "pod4")" << entry("ipusPerMachine", "1")
                      << entry("hosts", std::to_string(hosts)) << entry("hostBytesPerSecond", "1e6")
                      << "}";
  return file;
}

/// Returns the modelled cycles of replica 0, if each host of a pod has a host program.
std::uint64_t cyclesOfHosts(const ClusterNodes &nodes, const std::string &pod, unsigned hosts) {
  std::vector<std::unique_ptr<ChildProcess>> together;
  for (unsigned i = 0; i < hosts; ++i)
    together.push_back(host(nodes, i * 4 / hosts, 4 / hosts, 4, 1, {}, "60", "", pod));
  const std::string first = results(together).at(0);
  return std::stoull(first.substr(first.rfind(' ') + 1));
}

TEST(SharedReplicas, HaveTheBandwidthOfTheirOwnHost) {
  const ClusterNodes nodes(4);
  const TemporaryFolder folder;
  std::vector<std::uint64_t> cycles;
  for (const unsigned hosts : {1U, 2U, 4U})
    cycles.push_back(cyclesOfHosts(nodes, podOfHosts(folder, hosts), hosts));
  // The bytes of a host halve, and take most of the time.
  EXPECT_GT(cycles[0] - cycles[1], 3 * (cycles[1] - cycles[2]) / 2);
  EXPECT_GT(cycles[1], cycles[2] + cycles[2] / 2);
}

/// The output of two host programs with modelled clocks, each of which runs one of two replicas.
struct Clocks {
  std::vector<std::string> first, second; ///< "clocks: STEADY DATE" after each run
  long long called = 0;                   ///< last "called: STEADY" of the first
};

Clocks clocksOfTwo(const std::vector<std::string> &ofSecond,
                   const std::string &hostTimeOfBoth = "none") {
  const ClusterNodes nodes(2);
  std::vector<std::unique_ptr<ChildProcess>> hosts;
  std::vector<std::string> words{"clock"};
  for (unsigned i = 0; i < 2; ++i) {
    hosts.push_back(host(nodes, i, 1, 2, 1, words, "60", "", "",
                         {{"COPSE_CLOCK", "modelled"},
                          {"COPSE_HOST_TIME", hostTimeOfBoth},
                          {"LD_PRELOAD", CLOCK_LIBRARY}}));
    words.insert(words.end(), ofSecond.begin(), ofSecond.end());
  }
  Clocks clocks{linesOf(*hosts[0], "clocks: "), linesOf(*hosts[1], "clocks: ")};
  for (const std::string &line : linesOf(*hosts[0], "called: "))
    clocks.called = std::stoll(line.substr(line.rfind(' ')));
  return clocks;
}

class ClocksOfSharedReplicas : public ::testing::Test {
protected:
  void SetUp() override {
    if (kAddressSanitizer || kThreadSanitizer)
      GTEST_SKIP() << "a sanitizer must be the first library that a program loads";
  }
};

TEST_F(ClocksOfSharedReplicas, AgreeAfterEachCommonRun) {
  const Clocks equal = clocksOfTwo({});
  ASSERT_EQ(equal.first.size(), 3U);
  EXPECT_EQ(equal.first, equal.second);
  // The second host program sleeps for a second in all, and its device works in the meantime, too.
  const Clocks later = clocksOfTwo({"sleep=400", "extra=2"});
  EXPECT_EQ(later.first, later.second);
  const auto last = [](const Clocks &clocks) { return std::stoll(clocks.first.at(2).substr(8)); };
  EXPECT_GT(last(later), last(equal) + 1'200'000'000);
  EXPECT_LT(last(later), last(equal) + 1'201'000'000);
  EXPECT_GT(later.called, last(equal) + 1'200'000'000) << "callbacks see the common time";
  EXPECT_LE(later.called, last(later));
  const Clocks again = clocksOfTwo({"sleep=400", "extra=2"});
  EXPECT_EQ(again.first, later.first);
  EXPECT_EQ(again.called, later.called);
}

TEST_F(ClocksOfSharedReplicas, AgreeOnTheDateWithTheTimeOfTheirHosts) {
  const Clocks clocks = clocksOfTwo({"sleep=1500"}, "real");
  const auto date = [](const std::string &line) {
    return std::stoll(line.substr(line.rfind(' ')));
  };
  ASSERT_EQ(clocks.second.size(), 3U);
  // The date is read soon after the run, in the time of a host that has other things to do.
  for (std::size_t run = 0; run < 3; ++run)
    EXPECT_NEAR(date(clocks.first.at(run)), date(clocks.second[run]), 1e9);
}

TEST_F(ClocksOfSharedReplicas, MustBeOfOneKind) {
  const ClusterNodes nodes(2);
  const auto modelled = host(nodes, 0, 1, 2, 1, {}, "5", "", "",
                             {{"COPSE_CLOCK", "modelled"}, {"LD_PRELOAD", CLOCK_LIBRARY}});
  const auto real = host(nodes, 1, 1, 2, 1, {}, "5");
  for (ChildProcess *const one : {modelled.get(), real.get()})
    EXPECT_EQ(one->wait(60s), 4) << one->output() << one->errors();
  EXPECT_THAT(modelled->output() + real->output(),
              HasSubstr("the kind of clock that the program sees"));
}

TEST(SharedReplicas, AreRefusedWithoutAnExecution) {
  const ClusterNodes nodes(2);
  const auto one = host(nodes, 0, 1, 2, 1, {}, "5", "", "", {{"COPSE_EXECUTION", "modelled"}});
  EXPECT_EQ(one->wait(60s), 4);
  EXPECT_THAT(one->output(),
              AllOf(HasSubstr("COPSE_EXECUTION is modelled"), HasSubstr("1 of the 2 replicas"),
                    HasSubstr("run all replicas in one host program")));
}

TEST(SharedReplicas, MayBeLoadedAgain) {
  const ClusterNodes nodes(2);
  std::vector<std::unique_ptr<ChildProcess>> alone, together;
  alone.push_back(host(nodes, 0, 2, 2, 1, {"loads=3"}));
  const auto expected = results(alone);
  for (unsigned i = 0; i < 2; ++i)
    together.push_back(host(nodes, i, 1, 2, 1, {"loads=3"}));
  EXPECT_EQ(results(together), expected);
}

TEST(SharedReplicas, StayApartInSeveralPartitions) {
  const ClusterNodes nodes(4);
  std::vector<std::unique_ptr<ChildProcess>> red, blue;
  for (unsigned i = 0; i < 2; ++i) {
    red.push_back(host(nodes, i, 1, 2, 1, {}, "60", "red"));
    blue.push_back(host(nodes, i, 1, 2, 1, {"scale=2"}, "60", "blue"));
  }
  EXPECT_NE(results(red), results(blue));
}

TEST(SharedReplicas, SurviveRunsThatNeedNoOtherHost) {
  const ClusterNodes nodes(2);
  const auto first = host(nodes, 0, 1, 2, 1, {"forever"}),
             second = host(nodes, 1, 1, 2, 1, {"alone"});
  EXPECT_EQ(second->wait(60s), 0) << second->output() << second->errors();
  EXPECT_THAT(second->errors(), HasSubstr("[replica 1] index"))
      << "numbers are of all host programs";
}

TEST(SharedReplicas, NameTheHostProgramThatWasKilled) {
  const ClusterNodes nodes(4);
  std::vector<std::unique_ptr<ChildProcess>> hosts;
  for (unsigned i = 0; i < 4; ++i)
    hosts.push_back(host(nodes, i, 1, 4, 1, {"forever"}));
  for (const auto &one : hosts)
    ASSERT_TRUE(one->waitForOutput("replica", 60s)) << one->output() << one->errors();
  const std::string killed = "pid " + std::to_string(hosts[2]->pid());
  hosts[2]->kill(SIGKILL);
  for (const unsigned i : {0U, 1U, 3U}) {
    EXPECT_EQ(hosts[i]->wait(20s), 5) << hosts[i]->output() << hosts[i]->errors();
    EXPECT_THAT(hosts[i]->output(), AllOf(HasSubstr(killed), HasSubstr("replica 2 of 4"))) << i;
  }
}

struct LostIpu {
  const char *name;
  unsigned ipu; ///< one of four; each host program has two
  int signal;
  std::chrono::milliseconds lease;
};

class SharedReplicasLose : public ::testing::TestWithParam<LostIpu> {};

/// Both host programs name the IPU, in the time that docs/cluster.md promises. The host program
/// that had the IPU does not blame the other.
TEST_P(SharedReplicasLose, AnIpuAndNameItAndItsHostProgram) {
  const auto &[name, ipu, signal, lease] = GetParam();
  ClusterNodes nodes(4, lease);
  std::vector<std::unique_ptr<ChildProcess>> hosts;
  for (unsigned i = 0; i < 2; ++i) {
    hosts.push_back(host(nodes, 2 * i, 2, 4, 1, {"forever"}));
    ASSERT_TRUE(soon([&] { return nodes.held(2 * i); }, 60s)); // so that they take turns
  }
  for (const auto &one : hosts)
    ASSERT_TRUE(one->waitForOutput("replica", 60s)) << one->output() << one->errors();
  const auto lostAt = std::chrono::steady_clock::now();
  nodes.process(ipu).kill(signal);
  for (const auto &one : hosts)
    EXPECT_EQ(one->wait(60s), 5) << one->output() << one->errors();
  EXPECT_LT(std::chrono::steady_clock::now() - lostAt, 2 * lease + 1s);
  const ChildProcess &own = *hosts[ipu / 2], &other = *hosts[1 - ipu / 2];
  const std::string which = "ipu " + std::to_string(ipu) + " ", whose = "host program ";
  EXPECT_THAT(own.output(), AllOf(HasSubstr(which), Not(HasSubstr(whose))));
  EXPECT_THAT(other.output(), AllOf(HasSubstr(which), HasSubstr("pid " + std::to_string(own.pid())),
                                    Not(HasSubstr("pid " + std::to_string(other.pid())))));
}

INSTANTIATE_TEST_SUITE_P(Ipus, SharedReplicasLose,
                         ::testing::Values(LostIpu{"FirstKilled", 0, SIGKILL, 3s},
                                           LostIpu{"FirstOfTheOtherKilled", 2, SIGKILL, 3s},
                                           LostIpu{"LastKilled", 3, SIGKILL, 3s},
                                           LostIpu{"FirstFrozen", 0, SIGSTOP, 1s},
                                           LostIpu{"LastFrozen", 3, SIGSTOP, 1s}),
                         [](const auto &p) { return p.param.name; });

TEST(SharedReplicas, NameTheHostProgramThatIsMissing) {
  const ClusterNodes nodes(4);
  const auto first = host(nodes, 0, 1, 4, 1, {}, "2"), third = host(nodes, 2, 1, 4, 1, {}, "2");
  for (ChildProcess *const one : {first.get(), third.get()}) {
    EXPECT_EQ(one->wait(30s), 5) << one->output() << one->errors();
    EXPECT_THAT(one->output(),
                ContainsRegex("no host program has come to run replicas (0, )?1, (2, )?3 of 4"));
  }
}

TEST(SharedReplicas, AreRefusedIfTheProgramsDiffer) {
  const ClusterNodes nodes(4);
  const auto one = host(nodes, 0, 1, 2, 1), other = host(nodes, 1, 1, 2, 1, {"scale=2"});
  for (const auto &[self, peer] : {std::pair(one.get(), other.get()), {other.get(), one.get()}}) {
    EXPECT_EQ(self->wait(30s), 4) << self->output() << self->errors();
    EXPECT_THAT(self->output(), AllOf(HasSubstr("the executable differs"),
                                      HasSubstr("pid " + std::to_string(peer->pid()))));
  }
}

TEST(SharedReplicas, AreRefusedIfTheNumbersOfReplicasDiffer) {
  const ClusterNodes nodes(4);
  const auto one = host(nodes, 0, 1, 2, 1), other = host(nodes, 1, 1, 4, 1);
  EXPECT_EQ(one->wait(30s), 4) << one->output() << one->errors();
  EXPECT_THAT(one->output(), HasSubstr("the number of replicas differs: 2 here, 4 there"));
  EXPECT_EQ(other->wait(30s), 4) << other->output() << other->errors();
  EXPECT_THAT(other->output(), HasSubstr("the number of replicas differs: 4 here, 2 there"));
}

TEST(SharedReplicas, NeedACluster) {
  ChildProcess host({COPSE_REPLICA_PROGRAM, "0", "1", "2", "1"}, {{"COPSE_IPUS", "2"}});
  EXPECT_EQ(host.wait(60s), 4) << host.output() << host.errors();
  EXPECT_THAT(host.output(), HasSubstr("set COPSE_CLUSTER"));
}

} // namespace
} // namespace copse::test
