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
    std::vector<std::string> words{std::string(TOOLS_FOLDER) + "/copse", "scale", "--output",
                                   page_};
    words.insert(words.end(), sweep.begin(), sweep.end());
    for (const char *const word :
         {"--", SCALING_PROGRAM, "--sweep", "batch", "--most", "1", "--sync", "hardware",
          "--prefetch", "on", "--svg", "/dev/null", "--csv", csv})
      words.emplace_back(word);
    words.insert(words.end(), program.begin(), program.end());
    ChildProcess process(words, {{"COPSE_CACHE_DIR", folder_.file("cache")}});
    exit_ = process.wait(200s);
    errors_ = process.errors();
  }
  std::vector<Row> rows() const {
    std::ifstream file(folder_.file("page.csv"));
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = cellsOf(line);
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

TEST_F(Scale, NamesPointsThatFailAndLeavesThemOut) {
  run({"--replicas", "2,3000", "--timeout", "100"}, {"--replicas", "{}"});
  EXPECT_EQ(exit_, 1);
  EXPECT_THAT(errors_, HasSubstr("replicas 3000: left out: it ended with 2"));
  EXPECT_THAT(page(), AllOf(HasSubstr("Left out: replicas 3000"), HasSubstr("replicas 2<")));
  EXPECT_EQ(number(rows().front(), "efficiency"), 1);
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
