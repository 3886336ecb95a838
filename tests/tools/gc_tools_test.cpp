#include "child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;

const std::map<std::string, std::string> kMachine{{"COPSE_IPUS", "4"}};

std::vector<std::string> command(const std::string &tool, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::string(TOOLS_FOLDER) + "/" + tool);
  return arguments;
}

json rowsOf(const std::string &tool, std::vector<std::string> arguments = {}) {
  arguments.emplace_back("--json");
  ChildProcess process(command(tool, arguments), kMachine);
  EXPECT_EQ(process.wait(120s), 0) << tool << ": " << process.errors();
  return json::parse(process.output(), nullptr, false);
}

TEST(GcInventory, ListsWhatAProgramFinds) {
  const json rows = rowsOf("gc-inventory");
  unsigned single = 0, all = 0;
  for (const json &row : rows) {
    single += row["ipus"] == 1;
    all += row["ipus"] == 4;
  }
  EXPECT_EQ(single, 4u);
  EXPECT_EQ(all, 1u);
}

TEST(GcInfo, DescribesADeviceAndCountsIpus) {
  const json rows = rowsOf("gc-info", {"--device-id", "0"});
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0]["attribute"], "device");
  EXPECT_EQ(rowsOf("gc-info", {"--ipu-count"})[0]["ipus"], 4);
}

TEST(GcInfo, SaysThatThereIsNoSuchDevice) {
  ChildProcess process(command("gc-info", {"--device-id", "999"}), kMachine);
  EXPECT_EQ(process.wait(60s), 1);
  EXPECT_THAT(process.errors(), HasSubstr("gc-info: "));
}

TEST(GcLinks, CountsWhatAProbeSendsOverEachLink) {
  const json mesh = rowsOf("gc-links", {"--ipus", "6", "--bytes", "1000"});
  ASSERT_EQ(mesh.size(), 14u) << "three rungs and two pairs of ladder links, seen from both ends";
  for (const json &row : mesh) {
    EXPECT_EQ(row["state"], "up");
    EXPECT_EQ(row["bytes_sent"], 1000);
    EXPECT_EQ(row["bytes_received"], 1000);
    EXPECT_EQ(row["forwarded"], 0);
  }
  EXPECT_EQ(rowsOf("gc-links", {"--ipus", "6", "--topology", "torus"}).size(), 18u);
}

TEST(GcLinks, RefusesMoreIpusThanAMachineHas) {
  ChildProcess process(command("gc-links", {"--ipus", "65"}), kMachine);
  EXPECT_EQ(process.wait(60s), 2);
  EXPECT_THAT(process.errors(), HasSubstr("not in range 1 to 64"));
}

TEST(GcIpuTrafficTest, ComesNearThePublishedFigure) {
  const json row = rowsOf("gc-iputraffictest", {"--bytes", "4194304", "--iterations", "2"})[0];
  EXPECT_NEAR(row["modelled_Gbps"].get<double>(), 423.3, 42.3); // one M2000, both directions
  EXPECT_GT(row["wall_Gbps"].get<double>(), 0);
}

TEST(GcHostTrafficTest, ComesNearThePublishedFigures) {
  const json rows = rowsOf("gc-hosttraffictest", {"--bytes", "4194304", "--iterations", "2"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NEAR(rows[0]["modelled_Gbps"].get<double>(), 26.41, 2.64);
  EXPECT_NEAR(rows[1]["modelled_Gbps"].get<double>(), 23.46, 2.35);
}

TEST(GcHostSyncLatencyTest, ComesNearThePublishedFigure) {
  const json row = rowsOf("gc-hostsynclatencytest")[0];
  EXPECT_EQ(row["syncs"], 4095);
  EXPECT_NEAR(row["modelled_us"].get<double>(), 1485, 148.5);
}

TEST(GcExchangeTest, ReachesFourBytesPerCycleAndTile) {
  const json rows = rowsOf("gc-exchangetest", {"--bytes", "65536", "--tiles", "8"});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_NEAR(rows[0]["modelled_bytes_per_cycle_and_tile"].get<double>(), 4, 0.1);
  EXPECT_NEAR(rows[3]["modelled_bytes_per_cycle_and_tile"].get<double>(), 8, 0.3); // memcpy
}

TEST(GcReset, WaitsUntilAllIpusAnswer) {
  EXPECT_EQ(rowsOf("gc-reset", {"--ipus", "4"})[0]["state"], "ready");
}

TEST(GcMonitor, ShowsTheIpusOfARunningProgram) {
  ChildProcess program(command("gc-iputraffictest", {"--bytes", "4096", "--iterations", "1000000"}),
                       kMachine);
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  unsigned seen = 0;
  while (seen < 2 && std::chrono::steady_clock::now() < deadline) {
    seen = 0;
    for (const json &row : rowsOf("gc-monitor"))
      seen += row["host_pid"] == program.pid() && row["memory_MiB"] > 0;
  }
  EXPECT_EQ(seen, 2u);
  program.kill(SIGTERM);
}

TEST(Tools, PrintTablesForPeople) {
  ChildProcess process(command("gc-inventory", {}), kMachine);
  EXPECT_EQ(process.wait(60s), 0);
  EXPECT_THAT(process.output(), HasSubstr("tiles_per_ipu"));
}

TEST(Tools, RefuseWrongArguments) {
  ChildProcess process(command("gc-exchangetest", {"--tiles", "many"}), kMachine);
  EXPECT_EQ(process.wait(60s), 2);
  EXPECT_THAT(process.errors(), HasSubstr("--tiles"));
}

} // namespace
} // namespace copse::test
