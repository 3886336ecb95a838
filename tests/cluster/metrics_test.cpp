// Tests what a node reports to Prometheus and in its log.
#include "cluster_nodes.hpp"
#include "scrape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::_;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

/// A cluster of two IPUs that serve metrics.
class Metrics : public ::testing::Test {
protected:
  /// Returns the value of every metric, by its name and labels.
  std::map<std::string, double> figures() const {
    std::map<std::string, double> values;
    std::istringstream lines(test::scrape(nodes_.readyLine(0)["metrics"]));
    for (std::string line; std::getline(lines, line);)
      if (line.rfind("copse_", 0) == 0)
        values[line.substr(0, line.rfind(' '))] = std::stod(line.substr(line.rfind(' ') + 1));
    return values;
  }

  ClusterNodes nodes_{2, 1s, {"--metrics", "127.0.0.1:0", "--log-level", "off"}};
};

TEST_F(Metrics, CountTheWorkOfAProgram) {
  auto before = figures();
  EXPECT_EQ(before["copse_ipud_held"], 0);
  EXPECT_EQ(before["copse_ipud_runs_total"], 0);
  EXPECT_GT(before["copse_ipud_resident_bytes"], 1e6);
  {
    ChildProcess host({COPSE_HOST_PROGRAM, "2"}, nodes_.environment());
    ASSERT_TRUE(host.waitForOutput(": 12345", 30s)) << host.errors();
    auto during = figures();
    EXPECT_EQ(during["copse_ipud_held"], 1);
    EXPECT_THAT(during, Contains(Pair(StartsWith("copse_ipud_holder{program=\""), 1)));
    EXPECT_EQ(during["copse_ipud_sessions_total"], 1);
    EXPECT_EQ(during["copse_ipud_loads_total"], 1);
    EXPECT_EQ(during["copse_ipud_runs_total"], 1);
    EXPECT_GT(during["copse_ipud_supersteps_total"], 0);
    EXPECT_GT(during["copse_ipud_modelled_cycles_total"], 0);
    EXPECT_GE(during["copse_ipud_link_sent_bytes_total{neighbour=\"1\"}"], 4) << "a word for IPU 1";
    EXPECT_TRUE(soon([&] {
      return figures()["copse_ipud_link_queued_packets{neighbour=\"1\"}"] == 0;
    })) << "as soon as its acknowledgement has come";
  }
  ASSERT_TRUE(soon([&] { return !nodes_.held(0); }));
  auto after = figures();
  EXPECT_THAT(after, Not(Contains(Pair(StartsWith("copse_ipud_holder"), _))));
  EXPECT_EQ(after["copse_ipud_held"], 0);
  EXPECT_GE(after["copse_ipud_link_sent_bytes_total{neighbour=\"1\"}"], 4)
      << "a counter must not fall when the program has gone";
}

TEST_F(Metrics, ShowNoGrowthOfMemoryOverManyLoadsAndRuns) {
  ChildProcess host({COPSE_HOST_PROGRAM, "2", "1000"}, nodes_.environment());
  ASSERT_TRUE(host.waitForOutput("loaded 100 times", 60s)) << host.errors();
  const double before = figures()["copse_ipud_resident_bytes"];
  ASSERT_EQ(host.wait(120s), 0) << host.errors();
  auto after = figures();
  EXPECT_EQ(after["copse_ipud_loads_total"], 1001);
  EXPECT_LT(after["copse_ipud_resident_bytes"], before + 2e6);
}

TEST_F(Metrics, DoNotDelayTheEndOfAnIpud) {
  figures();
  nodes_.process(0).kill(SIGTERM);
  EXPECT_EQ(nodes_.process(0).wait(2s), 0);
}

TEST_F(Metrics, AreAllListedInTheDocument) {
  ChildProcess host({COPSE_HOST_PROGRAM, "2"}, nodes_.environment());
  ASSERT_TRUE(host.waitForOutput(": 12345", 30s)) << host.errors();
  std::ifstream file(COPSE_METRICS_DOCUMENT);
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string> served, listed;
  for (const auto &[name, value] : figures())
    served.insert(name.substr(0, name.find('{')));
  const std::regex row("\\n\\| `(copse_ipud_[a-z_]+)`");
  for (std::sregex_iterator at(document.begin(), document.end(), row), end; at != end; ++at)
    listed.insert((*at)[1]);
  EXPECT_EQ(served, listed);
}

TEST(IpudLog, IsJsonIfRequested) {
  ChildProcess ipud(
      {COPSE_IPUD_PATH, "--name", "ipu 3", "--log-format", "json", "--log-level", "info"});
  ASSERT_TRUE(ipud.waitForOutput("\n", 20s)) << ipud.errors();
  const auto ready = nlohmann::json::parse(ipud.output());
  zmq::context_t context(1);
  zmq::socket_t stranger(context, zmq::socket_type::dealer);
  stranger.set(zmq::sockopt::linger, 1'000);
  stranger.connect(ready["control"].get<std::string>());
  stranger.send(zmq::buffer(std::string("no message of ours \xff")), zmq::send_flags::none);
  ASSERT_TRUE(soon([&] { return ipud.errors().find('\n') != std::string::npos; }));
  const auto line = nlohmann::json::parse(ipud.errors().substr(0, ipud.errors().find('\n')));
  EXPECT_EQ(line["name"], "ipu 3");
  EXPECT_EQ(line["level"], "warning");
  EXPECT_THAT(line["message"].get<std::string>(), HasSubstr("dropped 1 messages"));
  EXPECT_FALSE(line.contains("step")) << "nothing runs";
}

} // namespace
} // namespace copse::test
