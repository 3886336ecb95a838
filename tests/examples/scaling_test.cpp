#include "child_process.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string textOf(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A line of figures, by column.
using Row = std::map<std::string, std::string>;

std::vector<std::string> fieldsOf(const std::string &line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');)
    fields.push_back(field);
  return fields;
}

std::vector<Row> rowsOf(const std::string &csv) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  const auto names = fieldsOf(line);
  std::vector<Row> rows;
  while (std::getline(lines, line)) {
    const auto fields = fieldsOf(line);
    EXPECT_EQ(fields.size(), names.size()) << line;
    Row &row = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(fields.size(), names.size()); ++i)
      row[names[i]] = fields[i];
  }
  return rows;
}

double number(const Row &row, const std::string &column) { return std::stod(row.at(column)); }

/// Returns the cycles per step, by "topology,sync,prefetch,replicas".
std::map<std::string, double> cyclesOf(const std::string &csv) {
  std::map<std::string, double> cycles;
  for (const Row &row : rowsOf(csv))
    cycles[row.at("topology") + ',' + row.at("sync") + ',' + row.at("prefetch") + ',' +
           row.at("replicas")] = number(row, "cycles_per_step");
  return cycles;
}

/// \returns the figures
std::string csvOf(std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  const std::string csv = folder.file("a.csv"), svg = folder.file("a.svg");
  arguments.insert(arguments.begin(), SCALING_PROGRAM);
  arguments.insert(arguments.end(), {"--csv", csv, "--svg", svg});
  ChildProcess scaling(arguments);
  EXPECT_EQ(scaling.wait(120s), 0) << scaling.errors();
  EXPECT_THAT(textOf(svg), HasSubstr("<polyline"));
  return textOf(csv);
}

TEST(Scaling, WritesFiguresAndAChart) {
  const TemporaryFolder folder;
  const std::string csv = folder.file("a.csv"), svg = folder.file("a.svg");
  ChildProcess scaling(
      {SCALING_PROGRAM, "--most", "4", "--steps", "4", "--csv", csv, "--svg", svg});
  ASSERT_EQ(scaling.wait(120s), 0) << scaling.errors();
  auto cycles = cyclesOf(textOf(csv));
  EXPECT_EQ(cycles.size(), 8u * 3u);
  EXPECT_LT(cycles["mesh,hardware,on,4"], cycles["mesh,hardware,off,4"]);
  EXPECT_LT(cycles["mesh,software,off,4"], cycles["mesh,hardware,off,4"]);
  EXPECT_LT(cycles["mesh,hardware,on,1"], cycles["mesh,hardware,on,4"]) << "sums cost something";
  EXPECT_THAT(textOf(svg), HasSubstr("<polyline"));
  EXPECT_THAT(textOf(svg), HasSubstr("<rect x="));
  EXPECT_THAT(textOf(svg), HasSubstr("torus, software sync, prefetch"));
}

TEST(Scaling, SplitsAllCyclesOfAStep) {
  for (const Row &row : rowsOf(csvOf({"--most", "4", "--steps", "3"})))
    EXPECT_DOUBLE_EQ(number(row, "compute") + number(row, "exchange") + number(row, "sync_wait") +
                         number(row, "host"),
                     number(row, "cycles_per_step"));
}

class ScalingWorkload : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(ScalingWorkload, TakesTheSameCyclesWithoutAnExecution) {
  auto executed = GetParam(), modelled = executed;
  modelled.insert(modelled.end(), {"--device", "model-only"});
  EXPECT_EQ(csvOf(modelled), csvOf(executed));
}

INSTANTIATE_TEST_SUITE_P(
    All, ScalingWorkload,
    ::testing::Values(
        std::vector<std::string>{"--workload", "training", "--most", "8"},
        std::vector<std::string>{"--workload", "stencil", "--most", "8"},
        std::vector<std::string>{"--workload", "streamed", "--most", "8"},
        std::vector<std::string>{"--workload", "digits-gcl", "--most", "8", "--topology", "torus"},
        std::vector<std::string>{"--workload", "training", "--strong", "--most", "8"},
        std::vector<std::string>{"--workload", "digits-gcl", "--strong", "--most", "8", "--sync",
                                 "hardware"},
        std::vector<std::string>{"--workload", "training", "--sweep", "ipus", "--replicas", "8",
                                 "--most", "8"},
        std::vector<std::string>{"--workload", "digits-gcl", "--sweep", "batch", "--replicas", "4",
                                 "--most", "8", "--sync", "hardware"},
        std::vector<std::string>{"--workload", "digits-gcl", "--sweep", "accumulation",
                                 "--replicas", "2", "--most", "4", "--ipus-per-replica", "2",
                                 "--sync", "software"},
        std::vector<std::string>{"--workload", "transformer", "--most", "8", "--batch", "1",
                                 "--steps", "1", "--sync", "hardware", "--prefetch", "on",
                                 "--topology", "mesh"},
        std::vector<std::string>{"--workload", "transformer", "--sweep",      "ipus",
                                 "--replicas", "4",           "--most",       "2",
                                 "--batch",    "1",           "--accumulate", "2",
                                 "--steps",    "1",           "--topology",   "torus",
                                 "--sync",     "software",    "--prefetch",   "off"}));

TEST(Scaling, TakesTheSameCyclesOnIpuds) {
  const std::vector<std::string> arguments{"--workload", "digits-gcl", "--most",     "4",
                                           "--topology", "torus",      "--prefetch", "on"};
  auto onIpuds = arguments, modelled = arguments;
  onIpuds.insert(onIpuds.end(), {"--device", "ipu"});
  modelled.insert(modelled.end(), {"--device", "model-only"});
  EXPECT_EQ(csvOf(onIpuds), csvOf(modelled));
}

TEST(Scaling, ModelsThousandReplicas) {
  const auto rows = rowsOf(csvOf({"--workload", "digits-gcl", "--most", "1024", "--device",
                                  "model-only", "--topology", "torus", "--sync", "hardware"}));
  ASSERT_EQ(rows.size(), 2u * 11u);
  EXPECT_EQ(rows.back().at("replicas"), "1024");
  EXPECT_LT(number(rows.back(), "efficiency"), 1);
}

TEST(Scaling, KeepsTheSamplesOfAStepInStrongScaling) {
  for (const Row &row : rowsOf(csvOf({"--strong", "--most", "64", "--device", "model-only"})))
    EXPECT_EQ(number(row, "replicas") * number(row, "batch") * number(row, "accumulation"),
              64 * 16);
}

TEST(Scaling, NamesTheDeviceThatCanModelThatManyIpus) {
  ChildProcess scaling({SCALING_PROGRAM, "--most", "128"});
  EXPECT_EQ(scaling.wait(30s), 2);
  EXPECT_THAT(scaling.errors(), HasSubstr("model-only"));
}

TEST(Scaling, NamesTheFileThatItCannotWrite) {
  ChildProcess scaling({SCALING_PROGRAM, "--most", "1", "--csv", "/no/such/folder/a.csv"});
  EXPECT_EQ(scaling.wait(30s), 1);
  EXPECT_THAT(scaling.errors(), HasSubstr("/no/such/folder/a.csv"));
}

} // namespace
} // namespace copse::test
