// copse scale: time-only runs of a program over a sweep.
#include "child_process.hpp"
#include "sanitizers.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A row of the figures, by the names of its columns.
using Row = std::map<std::string, std::string>;

std::vector<std::string> cellsOf(const std::string &line) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');)
    cells.push_back(cell);
  return cells;
}

class Scale : public ::testing::Test {
protected:
  /// \param sweep    options of copse scale
  /// \param program  options of the example, which has one point on its own
  void run(const std::vector<std::string> &sweep, const std::vector<std::string> &program,
           const char *csv = "/dev/null") {
    std::vector<std::string> words{SCALING_PROGRAM, "--sweep",  "batch",      "--most", "1",
                                   "--sync",        "hardware", "--prefetch", "on",     "--svg",
                                   "/dev/null",     "--csv",    csv};
    words.insert(words.end(), program.begin(), program.end());
    runCommand(sweep, words);
  }
  void runCommand(const std::vector<std::string> &sweep, const std::vector<std::string> &command) {
    std::vector<std::string> words{std::string(TOOLS_FOLDER) + "/copse", "scale", "--output",
                                   page_};
    words.insert(words.end(), sweep.begin(), sweep.end());
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    ChildProcess process(words, {{"COPSE_CACHE_DIR", folder_.file("cache")}});
    exit_ = process.wait(200s);
    errors_ = process.errors();
  }
  std::vector<Row> rows() const {
    std::ifstream file(folder_.file("page.csv"));
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = cellsOf(line);
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size()) << line;
    std::vector<Row> rows;
    while (std::getline(file, line)) {
      const std::vector<std::string> cells = cellsOf(line);
      for (std::size_t i = 0; i < cells.size(); ++i)
        (i == 0 ? rows.emplace_back() : rows.back())[names.at(i)] = cells[i];
    }
    return rows;
  }
  std::string page() const {
    std::ifstream file(page_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const TemporaryFolder folder_;
  const std::string page_ = folder_.file("page.html");
  std::optional<int> exit_;
  std::string errors_;
};

double number(const Row &row, const std::string &name) { return std::stod(row.at(name)); }

constexpr const char *kCosts[] = {"compute", "exchange", "ipuLinks",     "gatewayLinks",
                                  "sync",    "host",     "remoteBuffers"};

TEST_F(Scale, ShowsThroughputAndWhereTheTimeGoes) {
  run({"--replicas", "1,2,4,...,256", "--samples", "16"},
      {"--workload", "digits-gcl", "--topology", "torus", "--device", "model-only", "--replicas",
       "{}"});
  ASSERT_EQ(exit_, 0) << errors_;
  EXPECT_THAT(errors_, AllOf(HasSubstr("[1/9]"), HasSubstr("[9/9]")));
  const std::vector<Row> rows = this->rows();
  ASSERT_EQ(rows.size(), 9U);
  for (const Row &row : rows) {
    double sum = 0;
    for (const char *const cost : kCosts) {
      sum += number(row, cost);
      EXPECT_LE(number(row, std::string("without_") + cost), number(row, "seconds")) << cost;
    }
    EXPECT_NEAR(sum, number(row, "seconds"), 1e-8);
    EXPECT_LT(number(row, "without_compute"), number(row, "seconds"));
    EXPECT_EQ(row.at("ipus_of_program"), row.at("replicas"));
  }
  EXPECT_EQ(number(rows.front(), "efficiency"), 1);
  EXPECT_LT(number(rows.back(), "efficiency"), 1);
  EXPECT_EQ(number(rows.front(), "ipuLinks"), 0);
  EXPECT_GT(number(rows.back(), "ipuLinks"), 0);
  EXPECT_THAT(page(), AllOf(HasSubstr("<svg"), HasSubstr("replicas 256"), HasSubstr("efficiency"),
                            HasSubstr("for nothing")));
}

TEST_F(Scale, CompilesOnceWhereOnlyTheMachineChanges) {
  run({"--replicas", "8", "--topologies", "mesh,torus", "--pods", "pod16,pod64"},
      {"--workload", "stencil", "--replicas", "{}"});
  ASSERT_EQ(exit_, 0) << errors_;
  const auto isExecutable = [](const auto &entry) {
    return entry.path().extension() == ".executable";
  };
  const std::filesystem::recursive_directory_iterator files(folder_.file("cache"));
  EXPECT_EQ(std::ranges::count_if(files, isExecutable), 1);
  const std::vector<Row> rows = this->rows();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_LT(number(rows[1], "seconds"), number(rows[0], "seconds")) << "the torus is faster";
}

TEST_F(Scale, ComparesSyncConfigurations) {
  run({"--replicas", "8", "--ipus", "2", "--syncs", "intraReplicaAndAll,ipuAndAll"},
      {"--workload", "digits-gcl", "--ipus-per-replica", "{ipus}", "--replicas", "{replicas}"});
  ASSERT_EQ(exit_, 0) << errors_;
  const std::vector<Row> rows = this->rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("syncConfiguration"), "intraReplicaAndAll");
  EXPECT_EQ(rows[1].at("syncConfiguration"), "ipuAndAll");
  EXPECT_EQ(rows[0].at("compute"), rows[1].at("compute"));
  EXPECT_LT(number(rows[0], "seconds"), number(rows[1], "seconds"))
      << "the IPUs of a replica sync with all others";
}

TEST_F(Scale, ComparesNumbersOfHosts) {
  run({"--replicas", "64", "--samples", "16", "--pods", "pod64", "--hosts", "1,2,4"},
      {"--workload", "streamed", "--sample-bytes", "65536", "--cycles", "20000", "--batch", "1",
       "--accumulate", "16", "--replicas", "{}"});
  ASSERT_EQ(exit_, 0) << errors_;
  const std::vector<Row> rows = this->rows();
  ASSERT_EQ(rows.size(), 3U);
  // Each host has the same bandwidth, which is the limit here.
  EXPECT_NEAR(number(rows[1], "throughput") / number(rows[0], "throughput"), 2, 0.02);
  EXPECT_NEAR(number(rows[2], "throughput") / number(rows[0], "throughput"), 4, 0.04);
  for (const Row &row : rows)
    EXPECT_GT(number(row, "host"), number(row, "seconds") / 2);
  EXPECT_THAT(page(), HasSubstr("hosts 4"));
}

TEST_F(Scale, RefusesNumbersOfHostsWithoutAPod) {
  run({"--replicas", "2", "--hosts", "1,2"}, {"--replicas", "{}"});
  EXPECT_EQ(exit_, 2);
  EXPECT_THAT(errors_, HasSubstr("--hosts needs the name of a pod"));
}

TEST_F(Scale, NamesPointsThatFailAndLeavesThemOut) {
  run({"--replicas", "2,3000", "--timeout", "100"}, {"--replicas", "{}"});
  EXPECT_EQ(exit_, 1);
  EXPECT_THAT(errors_, HasSubstr("replicas 3000: left out: it ended with 2"));
  EXPECT_THAT(page(), AllOf(HasSubstr("Left out: replicas 3000"), HasSubstr("replicas 2<")));
  EXPECT_EQ(number(rows().front(), "efficiency"), 1);
}

TEST_F(Scale, RepeatsWhatAFailedProgramSaid) {
  runCommand({"--ipus", "2"}, {"sh", "-c", "echo no device has {} IPUs; exit 1"});
  EXPECT_EQ(exit_, 1);
  EXPECT_THAT(errors_, HasSubstr("left out: it ended with 1: no device has 2 IPUs"));
  runCommand({"--ipus", "2"}, {"sh", "-c", "echo no device; echo {} are too many >&2; exit 1"});
  EXPECT_THAT(errors_, HasSubstr("ended with 1: 2 are too many; and on stdout: no device"));
}

TEST_F(Scale, TakesSizesThatGrowWithTheProgram) {
  run({"--replicas", "1,2", "--with", "rows=64,128", "--samples", "64,128", "--strong"},
      {"--workload", "streamed", "--replicas", "{}", "--batch", "{rows}"});
  ASSERT_EQ(exit_, 0) << errors_;
  const std::vector<Row> rows = this->rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("with"), "rows=64");
  EXPECT_EQ(rows[1].at("with"), "rows=128");
  for (const Row &row : rows)
    EXPECT_NEAR(number(row, "throughput") * number(row, "seconds") / number(row, "runs"),
                row.at("replicas") == "1" ? 64 : 128, 1e-3);
}

TEST_F(Scale, LeavesOutRunsOnOtherReplicasThanAreAskedFor) {
  run({"--replicas", "1,2"}, {"--batch", "{}"});
  EXPECT_EQ(exit_, 1);
  EXPECT_THAT(errors_, HasSubstr("replicas 2: left out: its runs are on 16 replicas"));
}

TEST_F(Scale, TakesTheFigureThatTheProgramPrints) {
  if (kAddressSanitizer || kThreadSanitizer)
    GTEST_SKIP() << "a sanitizer must be the first library that a program loads";
  run({"--replicas", "1,2", "--figure", "wrote /dev/(nul)l"}, {"--replicas", "{}"});
  EXPECT_EQ(exit_, 1);
  EXPECT_THAT(errors_, HasSubstr("no number above 0 that matches"));
  // The throughput of a line of figures.
  run({"--replicas", "1,2", "--figure", "hardware,on,.*,([0-9.]+),[0-9.]+\\n"},
      {"--replicas", "{}"}, "/dev/stdout");
  ASSERT_EQ(exit_, 0) << errors_;
  for (const Row &row : rows())
    EXPECT_GT(number(row, "throughput"), 1e5);
}

TEST_F(Scale, RefusesASweepThatDoesNotReachTheProgram) {
  run({"--replicas", "1,2"}, {});
  EXPECT_EQ(exit_, 2);
  EXPECT_THAT(errors_, HasSubstr("the command has no {replicas} or {} that takes the number"));
  EXPECT_FALSE(std::filesystem::exists(page_));
}

} // namespace
} // namespace copse::test
