// The points of a sweep of copse scale.
#include "report.hpp"
#include "scale_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace copse::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusalOf(const ScaleRequest &request) {
  try {
    (void)pointsOf(request);
  } catch (const WrongArguments &error) {
    return error.what();
  }
  return "";
}

TEST(NumbersOfASweep, ContinueByAFactorOrADifference) {
  EXPECT_THAT(numbersOf("1,2,4,...,32", "--replicas"), ElementsAre("1", "2", "4", "8", "16", "32"));
  EXPECT_THAT(numbersOf("1,4,...,64", "--replicas"), ElementsAre("1", "4", "16", "64"));
  EXPECT_THAT(numbersOf("10,15,...,30", "--replicas"), ElementsAre("10", "15", "20", "25", "30"));
  EXPECT_THAT(numbersOf("2,3,...,5,100", "--replicas"), ElementsAre("2", "3", "4", "5", "100"));
  EXPECT_THAT(numbersOf("1,2,4,...,12", "--replicas"), ElementsAre("1", "2", "4", "8", "12"));
  EXPECT_THAT(numbersOf("", "--replicas"), ElementsAre());
}

TEST(NumbersOfASweep, AreRefusedIfTheyAreNone) {
  for (const char *const wrong :
       {"0", "two", "1,,2", "...,8", "1,...,8", "4,2,...,1", "1,2,...", "-1", "10,11,...,100000"})
    EXPECT_THROW(numbersOf(wrong, "--replicas"), WrongArguments) << wrong;
}

TEST(PointsOfASweep, AreAllCombinations) {
  ScaleRequest request;
  request.replicas = "1,2";
  request.topologies = {"mesh", "torus"};
  request.command = {"./program", "--replicas={}", "of", "{replicas}"};
  const std::vector<ScalePoint> points = pointsOf(request);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].name(), "replicas 2, topology mesh");
  EXPECT_THAT(points[3].command, ElementsAre("./program", "--replicas=2", "of", "2"));
  EXPECT_EQ(points[3].on("topology"), "torus");
  EXPECT_EQ(chartAxisOf(points), "replicas");
  EXPECT_EQ(seriesOf(points[3], "replicas"), "topology torus");
}

TEST(PointsOfASweep, TellPlaceholdersApart) {
  ScaleRequest request;
  request.replicas = "1,2";
  request.batch = "16";
  request.command = {"./program", "{}", "{batch}"};
  EXPECT_THAT(pointsOf(request).back().command, ElementsAre("./program", "2", "16"));
  request.batch = "16,32";
  EXPECT_THAT(refusalOf(request), HasSubstr("write {replicas}, {ipus} or {batch}"));
  request.command = {"./program", "{replicas}"};
  EXPECT_THAT(refusalOf(request), HasSubstr("--batch: the command has no {batch}"));
}

} // namespace
} // namespace copse::tools
