// Tests the host-IO experiment, run in the way of a user.
#include "child_process.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string contentOf(const std::string &file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::vector<std::string>> tableOf(const std::string &csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');)
      rows.back().push_back(cell);
  }
  return rows;
}

class HostIo : public ::testing::Test {
protected:
  /// \returns the CSV's rows without the first
  std::vector<std::vector<std::string>> run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), HOST_IO_PROGRAM);
    arguments.insert(arguments.end(), {"--csv", folder_.file("t.csv"), "--svg", svg()});
    ChildProcess program(arguments);
    EXPECT_EQ(program.wait(120s), 0) << program.errors();
    auto rows = tableOf(contentOf(folder_.file("t.csv")));
    EXPECT_EQ(rows.at(0).size(), 10u);
    rows.erase(rows.begin());
    for (const auto &row : rows)
      for (std::size_t cell = 6; cell < 10; ++cell)
        EXPECT_GT(std::stod(row.at(cell)), 0);
    return rows;
  }
  std::string svg() const { return folder_.file("t.svg"); }
  TemporaryFolder folder_;
};

TEST_F(HostIo, MeasuresEveryCombinationThatMakesADifference) {
  std::vector<std::vector<std::string>> swept;
  for (auto row : run({"--bytes", "1k,64k", "--replicas", "2", "--depths", "1,3",
                       "--bytes-per-point", "256k"}))
    swept.push_back({row.begin(), row.begin() + 5});
  const auto point = [](const char *direction, const char *prefetch, const char *depth,
                        const char *bytes) {
    return std::vector<std::string>{direction, "2", prefetch, depth, bytes};
  };
  EXPECT_THAT(swept,
              ElementsAre(point("in", "off", "1", "1024"), point("in", "on", "1", "1024"),
                          point("in", "on", "3", "1024"), point("in", "off", "1", "65536"),
                          point("in", "on", "1", "65536"), point("in", "on", "3", "65536"),
                          point("out", "off", "1", "1024"), point("out", "off", "1", "65536"),
                          point("both", "off", "1", "1024"), point("both", "on", "1", "1024"),
                          point("both", "on", "3", "1024"), point("both", "off", "1", "65536"),
                          point("both", "on", "1", "65536"), point("both", "on", "3", "65536")));
  const std::string chart = contentOf(svg());
  EXPECT_THAT(chart, HasSubstr("2 replicas, modelled"));
  EXPECT_THAT(chart, HasSubstr("</svg>"));
}

TEST_F(HostIo, GivesTheSameModelledFiguresInEveryRun) {
  const std::vector<std::string> arguments{"--bytes",      "4k",   "--replicas",        "1",
                                           "--directions", "both", "--bytes-per-point", "64k"};
  const auto first = run(arguments), second = run(arguments);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t row = 0; row < first.size(); ++row)
    EXPECT_EQ(first[row][8], second[row][8]);
  EXPECT_LT(std::stod(first[2][8]), std::stod(first[0][8])) << "prefetch takes less modelled time";
}

TEST_F(HostIo, EndsWithAMessageWhenItCannotWrite) {
  ChildProcess program({HOST_IO_PROGRAM, "--csv", "/nowhere/t.csv"});
  EXPECT_EQ(program.wait(30s), 1);
  EXPECT_THAT(program.errors(), HasSubstr("/nowhere/t.csv"));
}

} // namespace
} // namespace copse::test
