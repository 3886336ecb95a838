#include "child_process.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::map<std::string, std::string> kMachine{{"COPSE_IPUS", "4"}};

std::vector<std::string> command(const std::string &tool, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::string(TOOLS_FOLDER) + "/" + tool);
  return arguments;
}

json rowsOf(const std::string &tool, std::vector<std::string> arguments = {},
            const std::map<std::string, std::string> &environment = kMachine) {
  arguments.emplace_back("--json");
  ChildProcess process(command(tool, arguments), environment);
  EXPECT_EQ(process.wait(120s), 0) << tool << ": " << process.errors();
  return json::parse(process.output(), nullptr, false);
}

TEST(GcInventory, ListsTheDevicesThatAProgramFinds) {
  const json rows = rowsOf("gc-inventory");
  unsigned single = 0, all = 0;
  for (const json &row : rows) {
    single += row["ipus"] == 1;
    all += row["ipus"] == 4;
  }
  EXPECT_EQ(single, 4u);
  EXPECT_EQ(all, 1u);
}

/// Returns the output of a tool if $COPSE_POD is \p pod.
std::string textInPod(const std::string &tool, const std::vector<std::string> &arguments,
                      const std::string &pod) {
  ChildProcess process(command(tool, arguments), {{"COPSE_POD", pod}});
  EXPECT_EQ(process.wait(120s), 0) << tool << ": " << process.errors();
  return process.output();
}

TEST(GcInfoInAPod, KnowsMachinesHostsAndDomains) {
  EXPECT_EQ(textInPod("gc-info", {"--ipu-count"}, "bow-pod64-4hosts"), "64\n");
  EXPECT_EQ(textInPod("gc-info", {"--tile-clock-speed"}, "bow-pod64-4hosts"), "1850MHz\n");
  EXPECT_THAT(textInPod("gc-info", {"-d", "37"}, "pod64-4hosts"),
              HasSubstr("\n  pod: pod64-4hosts\n  ipu-machine: 9\n  pod host: 2\n"
                        "  ipu-link domain: 0\n"));
  EXPECT_THAT(textInPod("gc-inventory", {}, "pod16"), HasSubstr("\n  ipu-machine: 0 to 3\n"));
}

TEST(GcInfoInAPod, KnowsThePodOfAClusterFile) {
  const TemporaryFolder folder;
  json cluster{{"pod", "pod64-4hosts"}};
  for (const char *name : {"0", "1", "2", "3"}) {
    json &ipu = cluster["ipus"].emplace_back();
    for (const char *use : {"control", "link", "sync"})
      ipu[use] = "ipc://" + folder.file(std::string(use) + name);
  }
  const std::string file = folder.file("cluster.json");
  std::ofstream(file) << cluster;
  ChildProcess process(command("gc-info", {"-d", "0"}), {{"COPSE_CLUSTER", file}});
  EXPECT_EQ(process.wait(120s), 0) << process.errors();
  EXPECT_THAT(process.output(), HasSubstr("\n  pod: pod64-4hosts\n"));
}

TEST(GcGwLinksTrafficTest, MeasuresTheTrafficOfGatewayLinks) {
  const auto perMachine = [](std::vector<std::string> arguments) {
    const json rows = rowsOf("gc-gwlinkstraffictest", std::move(arguments));
    return rows[0]["modelled_Gbps_per_machine"].get<double>();
  };
  // Four IPUs get 26.41 Gb/s each in each direction, less latency.
  EXPECT_NEAR(perMachine({"--pod", "pod128", "--machines", "1"}), 2 * 4 * 26.41, 4);
  // In a loop of four domains, a machine has only one GW-Link of 90 Gb/s to each side.
  EXPECT_NEAR(perMachine({"--pod", "pod256", "--machines", "1"}), 2 * 90, 4);
}

TEST(GcGwLinksTrafficTest, RefusesAPodOfOneDomain) {
  ChildProcess process(command("gc-gwlinkstraffictest", {"--pod", "pod64"}), {});
  EXPECT_NE(process.wait(120s), 0);
  EXPECT_THAT(process.errors(), HasSubstr("the 1 IPU-Link domains of pod 'pod64'"));
}

TEST(GcInfo, DescribesADeviceAndCountsIpus) {
  const json rows = rowsOf("gc-info", {"--device-id", "0"});
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0]["attribute"], "id");
  EXPECT_EQ(rowsOf("gc-info", {"--ipu-count"})[0]["ipus"], 4);
}

/// Returns the output of a tool for people.
std::string textOf(const std::string &tool, const std::vector<std::string> &arguments) {
  ChildProcess process(command(tool, arguments), kMachine);
  EXPECT_EQ(process.wait(120s), 0) << tool << ": " << process.errors();
  return process.output();
}

/// Users' notes and scripts contain this form.
TEST(GcInfo, ListsDevicesInTheVendorsForm) {
  const std::string list = textOf("gc-info", {"-l"});
  EXPECT_THAT(
      list, StartsWith("Graphcore device listing:\nPartition: local [active]\n-+- Id: [0], target: "
                       "[Fabric], IPU-M host: ["));
  EXPECT_THAT(
      list,
      HasSubstr("-+- Id: [6], target: [Multi IPU]\n |--- Id: [0], DNC Id: [0], IPU-M host: ["));
  EXPECT_THAT(list, HasSubstr(" |--- Id: [3], DNC Id: [3], IPU-M host: ["));
  for (const std::vector<std::string> &same : std::vector<std::vector<std::string>>{
           {"--list-devices"}, {"-a"}, {"--list-all-devices"}, {"-l", "--all-partitions"}})
    EXPECT_EQ(textOf("gc-info", same), list);
}

TEST(GcInfo, PrintsAttributesInTheVendorsForm) {
  const std::string info = textOf("gc-info", {"-d", "0", "-i"});
  EXPECT_THAT(info, StartsWith("Device Info:\n  id: 0\n  target: Fabric\n"));
  EXPECT_THAT(info, HasSubstr("\n  clock: 1325MHz\n"));
  EXPECT_THAT(info, HasSubstr("\n  ipu architecture: ipu2\n"));
  EXPECT_EQ(textOf("gc-info", {"--device-info", "--device-id", "0"}), info);
  EXPECT_THAT(textOf("gc-info", {"-i", "-d6"}), HasSubstr("\n  number of ipus: 4\n"));
}

TEST(GcInfo, PrintsSingleFiguresForScripts) {
  EXPECT_EQ(textOf("gc-info", {"--ipu-count"}), "4\n");
  EXPECT_EQ(textOf("gc-info", {"--ipu-arch"}), "ipu2\n");
  EXPECT_EQ(textOf("gc-info", {"-d", "0", "--tile-clock-speed"}), "1325MHz\n");
}

TEST(GcInventory, PrintsTheAttributesOfAllDevices) {
  const std::string text = textOf("gc-inventory", {});
  for (const char *id : {"  id: 0\n", "  id: 6\n", "ipu utilisation: "})
    EXPECT_THAT(text, HasSubstr(id));
}

TEST(GcInfo, ReportsAMissingDevice) {
  ChildProcess process(command("gc-info", {"--device-id", "999"}), kMachine);
  EXPECT_EQ(process.wait(60s), 1);
  EXPECT_THAT(process.errors(), HasSubstr("gc-info: "));
}

TEST(GcLinks, CountsTheBytesOfAProbeOnEachLink) {
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

TEST(GcLinks, SendsThroughGatewaysBetweenDomains) {
  const TemporaryFolder folder;
  const std::string pod = folder.file("small.json");
  std::ofstream(pod) << R"({"name": "small", "like": "pod128",
    "ipusPerMachine": {"value": 2, "unit": "IPUs", "source": "this test"},
    "ipusPerDomain": {"value": 4, "unit": "IPUs", "source": "this test"}})";
  for (const char *transport : {"shm", "ipc"}) {
    unsigned gateways = 0;
    for (const json &row :
         rowsOf("gc-links", {"--ipus", "8", "--transport", transport}, {{"COPSE_POD", pod}})) {
      gateways += row["kind"] == "gateways";
      EXPECT_EQ(row["state"], "up") << transport;
    }
    EXPECT_EQ(gateways, 8u) << "a link of each IPU, " << transport;
  }
}

TEST(GcLinks, RefusesMoreIpusThanAMachineHas) {
  ChildProcess process(command("gc-links", {"--ipus", "257"}), kMachine);
  EXPECT_EQ(process.wait(60s), 2);
  EXPECT_THAT(process.errors(), HasSubstr("not in range 1 to 256"));
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

TEST(GcFlops, ComesNearThePublishedFigures) {
  const json rows = rowsOf("gc-flops", {"--tiles", "8"});
  ASSERT_EQ(rows.size(), 2u);
  // 250 TFLOPS with halves and 62.5 with floats, of 1,472 tiles.
  EXPECT_NEAR(rows[0]["modelled_TFLOPS"].get<double>() * 1472 / 8, 250, 10);
  EXPECT_NEAR(rows[1]["modelled_TFLOPS"].get<double>() * 1472 / 8, 62.5, 2.5);
  EXPECT_EQ(rowsOf("gc-flops", {"-d", "4", "--tiles", "8", "--precision", "float"})[0]["ipus"], 2);
}

TEST(GcMemoryTest, FindsNoErrorInSoundMemory) {
  const json rows = rowsOf("gc-memorytest", {"--ipus", "2", "--tiles", "4"});
  ASSERT_EQ(rows.size(), 5u);
  for (const json &row : rows) {
    EXPECT_EQ(row["tiles"], 8);
    EXPECT_EQ(row["errors"], 0);
  }
}

TEST(GcMemoryTest, EndsWithCode1ForAParityError) {
  ChildProcess process(
      command("gc-memorytest", {"--tiles", "4"}),
      {{"COPSE_IPUS", "4"}, {"POPLAR_SIMULATOR_OPTIONS", R"({"parityErrors": "0:3:0x70000"})"}});
  EXPECT_EQ(process.wait(120s), 1);
  EXPECT_THAT(process.errors(), AllOf(HasSubstr("tile 3"), HasSubstr("0x70000")));
}

TEST(GcExchangeWriteTest, MeasuresWritesAndReadsOfTheHost) {
  const json rows = rowsOf("gc-exchangewritetest", {"--ipus", "2", "--tiles", "16"});
  ASSERT_EQ(rows.size(), 2u);
  for (const json &row : rows)
    EXPECT_GT(row["wall_GBps"].get<double>(), 0);
}

TEST(GcReset, AcceptsTheOptionsOfScripts) {
  EXPECT_EQ(rowsOf("gc-reset", {"-d", "0", "-p"})[0]["state"], "ready");
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
  const std::string pid = std::to_string(program.pid());
  const std::string cards = textOf("gc-monitor", {}),
                    plain = textOf("gc-monitor", {"--no-card-info", "-a"});
  EXPECT_THAT(cards, HasSubstr("Partition: local [active] has 4 reconfigurable IPUs"));
  EXPECT_THAT(plain, Not(HasSubstr("reconfigurable")));
  for (const std::string &text : {cards, plain}) {
    EXPECT_THAT(text, HasSubstr("Attached processes in partition local"));
    EXPECT_THAT(text, ContainsRegex("\\| +" + pid +
                                    " +\\| +gc-iputraffict[a-z]* +\\| +([0-9]+m)?[0-9]+s +\\|"));
  }
  const std::string csv = textOf("gc-monitor", {"--csv"});
  EXPECT_THAT(csv, StartsWith("host_pid,program,user,"));
  EXPECT_THAT(csv, HasSubstr("\n" + pid + ",gc-iputraff"));
  program.kill(SIGTERM);
}

TEST(GcMonitor, ShowsNamesOfProgramsWithoutControlCharacters) {
  const TemporaryFolder folder;
  const std::string name = folder.path() / "\x1b[2Jevil\xff";
  std::filesystem::copy_file(std::string(TOOLS_FOLDER) + "/gc-iputraffictest", name);
  ChildProcess program({name, "--bytes", "4096", "--iterations", "1000000"}, kMachine);
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  std::string table, text;
  while (table.find("\\x1b[2Jevil\\xff") == std::string::npos &&
         std::chrono::steady_clock::now() < deadline) {
    ChildProcess monitor(command("gc-monitor", {})), asJson(command("gc-monitor", {"--json"}));
    EXPECT_EQ(monitor.wait(60s), 0) << monitor.errors();
    EXPECT_EQ(asJson.wait(60s), 0) << "its name is no UTF-8: " << asJson.errors();
    table = monitor.output();
    text = asJson.output();
  }
  EXPECT_THAT(table, HasSubstr("\\x1b[2Jevil\\xff"));
  EXPECT_EQ((table + text).find('\x1b'), std::string::npos);
  program.kill(SIGTERM);
}

TEST(Tools, PrintTablesForPeople) {
  EXPECT_THAT(textOf("copse", {"devices"}),
              StartsWith("id  ipus  tiles  first_ipu  last_ipu\n 0     1   1472"));
  EXPECT_EQ(rowsOf("copse", {"devices"})[6]["ipus"], 4);
}

TEST(Tools, RefuseWrongArguments) {
  ChildProcess process(command("gc-exchangetest", {"--tiles", "many"}), kMachine);
  EXPECT_EQ(process.wait(60s), 2);
  EXPECT_THAT(process.errors(), HasSubstr("--tiles"));
}

TEST(Tools, EndWithCode2ForWrongArguments) {
  for (const char *tool :
       {"gc-info", "gc-inventory", "gc-monitor", "gc-reset", "gc-links", "copse", "rbufd", "ipud",
        "copse-onnx", "copse-accuracy", "poplar_profile_summary", "popc", "gcl-costs"}) {
    ChildProcess process(command(tool, {"--nonsense", "many"}), kMachine);
    EXPECT_EQ(process.wait(60s), 2) << tool;
    EXPECT_THAT(process.errors(), Not(IsEmpty())) << tool;
  }
}

TEST(Copse, ListsCommandsAndTheNearestForAnUnknownOne) {
  const auto errorsOf = [](const std::string &word) {
    ChildProcess process(command("copse", {word}), kMachine);
    EXPECT_EQ(process.wait(60s), 2);
    return process.errors();
  };
  EXPECT_THAT(errorsOf("onxx"),
              StartsWith("copse: there is no command 'onxx'; did you mean 'onnx'? There are "));
  EXPECT_THAT(errorsOf("perambulate"),
              AllOf(StartsWith("copse: there is no command 'perambulate'; there are "),
                    HasSubstr(" onnx, devices, run, ")));
}

TEST(Copse, AcceptsHelpAsACommand) {
  EXPECT_EQ(textOf("copse", {"help"}), textOf("copse", {"--help"}));
  EXPECT_EQ(textOf("copse", {"help", "trace"}), textOf("copse", {"trace", "--help"}));
  EXPECT_EQ(textOf("copse", {"help", "onnx"}), textOf("copse", {"onnx", "--help"}));
}

/// The program creates no poplar::DebugInfo.
TEST(AutoReport, WritesAllFilesOnRequestOfTheEnvironment) {
  const TemporaryFolder folder;
  const json options{{"autoReport.all", "true"}, {"autoReport.directory", folder.path().string()}};
  ChildProcess program({ASSEMBLY_PROGRAM, "--elements", "16"},
                       {{"POPLAR_ENGINE_OPTIONS", options.dump()}});
  EXPECT_EQ(program.wait(120s), 0) << program.errors();
  for (const char *file :
       {"profile.pop", "debug.cbor", "vars.txt", "archive.a", "serialized_graph.json"})
    EXPECT_TRUE(std::filesystem::exists(folder.file(file))) << file;
}

TEST(Copse, ListsItsCommandsInGroupsAndShowsExamples) {
  const std::string help = textOf("copse", {"--help"});
  EXPECT_THAT(help, AllOf(ContainsRegex("\nRun programs:\n(  [^\n]*\n)*  run "),
                          ContainsRegex("\nManage clusters:\n(  [^\n]*\n)*  up "),
                          HasSubstr("\nExamples:\n"), Not(HasSubstr("\nSubcommands:\n"))))
      << "each command has a group";
  EXPECT_THAT(textOf("copse", {"help", "debug"}),
              HasSubstr("\nExamples:\n  copse debug ./program"));
}

TEST(Copse, PrintsItsVersionAndPoplars) {
  EXPECT_THAT(textOf("copse", {"--version"}),
              ContainsRegex("^copse [0-9.]+ \\([0-9a-z]{10}\\), Poplar API 2\\.2\\.0\n$"));
}

} // namespace
} // namespace copse::test
