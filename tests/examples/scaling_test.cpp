#include "child_process.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string textOf(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Cycles per step, by "topology,sync,prefetch,replicas".
std::map<std::string, double> cyclesOf(const std::string &csv) {
  std::map<std::string, double> cycles;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::size_t comma = 0;
    for (int i = 0; i < 4; ++i)
      comma = line.find(',', comma + 1);
    cycles[line.substr(0, comma)] = std::stod(line.substr(comma + 1));
  }
  return cycles;
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
  EXPECT_THAT(textOf(svg), HasSubstr("torus, software sync, prefetch"));
}

TEST(Scaling, SaysWhichFileItCannotWrite) {
  ChildProcess scaling({SCALING_PROGRAM, "--most", "1", "--csv", "/no/such/folder/a.csv"});
  EXPECT_EQ(scaling.wait(30s), 1);
  EXPECT_THAT(scaling.errors(), HasSubstr("/no/such/folder/a.csv"));
}

} // namespace
} // namespace copse::test
