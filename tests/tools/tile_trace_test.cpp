#include "child_process.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// Runs copse trace on the example of vertices in assembly.
struct Traced {
  int code = -1;
  json rows;
  std::string output, errors;
};

Traced traced(std::vector<std::string> options,
              std::vector<std::string> program = {ASSEMBLY_PROGRAM, "--elements", "16"}) {
  const TemporaryFolder folder;
  const std::string file = folder.file("trace.json");
  std::vector<std::string> command{std::string(TOOLS_FOLDER) + "/copse", "trace", "--json",
                                   "--output", file};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), program.begin(), program.end());
  ChildProcess process(command);
  Traced result;
  result.code = process.wait(120s).value_or(-1);
  result.output = process.output();
  result.errors = process.errors();
  std::ifstream in(file);
  result.rows = json::parse(in, nullptr, false);
  return result;
}

TEST(TileTrace, ListsTheInstructionsOfOneWorker) {
  const Traced t = traced({"--tile", "0", "--worker", "0"});
  ASSERT_EQ(t.code, 0) << t.errors;
  EXPECT_THAT(t.output, HasSubstr("as the host")); // the program's own
  ASSERT_GT(t.rows.size(), 20u);
  unsigned repeats = 0;
  for (std::size_t i = 0; i < t.rows.size(); ++i) {
    const json &row = t.rows[i];
    EXPECT_EQ(row["tile"], 0);
    EXPECT_EQ(row["context"], "worker 0");
    EXPECT_THAT(row["source"].get<std::string>(), HasSubstr(".S:"));
    EXPECT_THAT(row["symbol"].get<std::string>(), HasSubstr(row["vertex"].get<std::string>()));
    const bool isFirst = i == 0 || t.rows[i - 1]["instruction"] == "exitz $mzero";
    EXPECT_EQ(row["cycle"], isFirst ? 0 : t.rows[i - 1]["cycle"].get<int>() + 1);
    repeats +=
        row["instruction"] == "{ ld64step $a0:1, $mzero, $m0+=, 1; f16v4cmac $a0:1, $a2:3 }" &&
                row["vertex"] == "DotInAssembly"
            ? 1
            : 0;
  }
  EXPECT_EQ(repeats, 4u); // 16 elements, four at a time
  EXPECT_EQ(t.rows.back()["instruction"], "exitz $mzero");
}

TEST(TileTrace, ListsNoMoreThanTheLimit) {
  const Traced t = traced({"--most", "3"});
  EXPECT_EQ(t.rows.size(), 3u);
}

TEST(TileTrace, CountsInstructionsPerVertexClass) {
  // Both in ipud processes and within the program.
  for (const char *device : {"ipu", "ipumodel"}) {
    const Traced t = traced({"--statistics"}, {ASSEMBLY_PROGRAM, "--device", device});
    ASSERT_EQ(t.code, 0) << t.errors;
    ASSERT_EQ(t.rows.size(), 2u);
    for (const json &row : t.rows) {
      const std::uint64_t issues = row["issues"], bundles = row["bundles"];
      EXPECT_EQ(row["instructions"], issues + bundles);
      std::uint64_t sum = 0;
      for (const auto &[mnemonic, count] : row["by_instruction"].items())
        sum += count.get<std::uint64_t>();
      EXPECT_EQ(sum, issues + bundles);
      EXPECT_EQ(row["by_instruction"]["exitz"], row["vertices"]);
    }
    EXPECT_EQ(t.rows[0]["vertex"], "DotInAssembly");
    // One worker, whose instructions take a cycle each.
    EXPECT_EQ(t.rows[0]["tile_cycles"], 6 * t.rows[0]["issues"].get<std::uint64_t>());
  }
}

TEST(TileTrace, ReturnsTheProgramsExitCode) {
  EXPECT_EQ(traced({}, {"/bin/sh", "-c", "exit 7"}).code, 7);
  EXPECT_EQ(traced({}, {"/bin/sh", "-c", "kill -9 $$"}).code, 128 + 9);
  const Traced missing = traced({}, {"/no/such/program"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.errors, HasSubstr("/no/such/program: No such file"));
}

TEST(TileTrace, ReportsAnEmptyTrace) {
  const Traced t = traced({"--tile", "1400"});
  EXPECT_EQ(t.code, 0);
  EXPECT_THAT(t.errors, HasSubstr("no tile instructions"));
  EXPECT_TRUE(t.rows.empty());
}

TEST(TileTrace, RefusesUnknownSettings) {
  ChildProcess process({ASSEMBLY_PROGRAM}, {{"COPSE_TILE_TRACE", "directory=/tmp,tile=x"}});
  EXPECT_NE(process.wait(60s), 0);
  EXPECT_THAT(process.errors(), HasSubstr("COPSE_TILE_TRACE: 'tile=x' is no option"));
}

} // namespace
} // namespace copse::test
