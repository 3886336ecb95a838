// The points of a sweep of copse scale, and the page that shows them.
#include "report.hpp"
#include "scale_page.hpp"
#include "scale_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
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

TEST(PointsOfASweep, TakeValuesThatChangeWithTheNumbers) {
  ScaleRequest request;
  request.ipus = "1,2,4";
  request.topologies = {"mesh", "torus"};
  request.with = {"side=100,141,200", "image=a.png,b.png,c.png"};
  request.samples = {10, 20, 40};
  request.command = {"./program", "--ipus", "{}", "--side={side}", "{image}"};
  const std::vector<ScalePoint> points = pointsOf(request);
  ASSERT_EQ(points.size(), 6U) << "no axis of its own";
  EXPECT_THAT(points[4].command, ElementsAre("./program", "--ipus", "2", "--side=141", "b.png"));
  EXPECT_EQ(points[4].samples, 20);
  EXPECT_EQ(points[4].name(), "ipus 2, topology torus, image b.png, side 141");
  EXPECT_EQ(seriesOf(points[4], "ipus"), seriesOf(points[5], "ipus")) << "one line of the chart";
}

TEST(PointsOfASweep, RefuseValuesThatDoNotBelongToTheNumbers) {
  ScaleRequest request;
  request.ipus = "1,2,4";
  request.command = {"./program", "{ipus}", "{side}"};
  request.with = {"side=100,141"};
  EXPECT_THAT(refusalOf(request), HasSubstr("2 values for the 3 numbers of --ipus"));
  request.with = {"side"};
  EXPECT_THAT(refusalOf(request), HasSubstr("'side' is not like side=8000,10000,14000"));
  request.with = {"width=1,2,3"};
  EXPECT_THAT(refusalOf(request), HasSubstr("the command has no {width}"));
  request.with = {"ipus=1,2,3"};
  EXPECT_THAT(refusalOf(request), HasSubstr("ipus has a list of its own"));
  request.with = {};
  request.samples = {1, 2};
  EXPECT_THAT(refusalOf(request), HasSubstr("--samples has 2 values"));
  request.ipus = "4";
  EXPECT_THAT(refusalOf(request), HasSubstr("needs one of --replicas, --ipus and --batch"));
}

TEST(PointsOfASweep, NameTheProgramsThatRan) {
  ScaleRequest request;
  request.ipus = "1,2";
  request.command = {"./program", "{}"};
  std::vector<ScalePoint> points = pointsOf(request);
  points[1].programs = {{0, 0.0125}};
  EXPECT_EQ(severalProgramsIn(points), "");
  points[1].programs[2] = 3;
  EXPECT_EQ(severalProgramsIn(points),
            "program 0 takes 12.5 ms, program 2 takes 3e+03 ms at ipus 2");
}

/// Points that ran, but for the first, of a sweep of two lines.
std::vector<ScalePoint> pointsWithoutTheFirst(ScaleRequest &request) {
  request.replicas = "1,2,4";
  request.batch = "2";
  request.topologies = {"torus", "mesh"};
  request.command = {"./program", "{replicas}", "{batch}"};
  std::vector<ScalePoint> points = pointsOf(request);
  for (ScalePoint &point : points) {
    point.runs = point.ipus = point.replicas = 1;
    point.seconds = point.throughput = point.efficiency = 1;
  }
  points.front().failure = "it does not fit";
  return points;
}

TEST(PageOfASweep, DrawsValuesAndLinesInTheOrderOfTheSweep) {
  ScaleRequest request;
  std::ostringstream out;
  writeScalePage(out, request, pointsWithoutTheFirst(request));
  const std::string page = out.str();
  EXPECT_THAT(page, HasSubstr("Left out: replicas 1, batch 2, topology torus: it does not fit"));
  // The line of the mesh alone has a point at 1 replica.
  EXPECT_LT(page.find("middle\">1</text>"), page.find("middle\">2</text>"));
  EXPECT_LT(page.find("topology torus</span>"), page.find("topology mesh</span>"));
}

TEST(PageOfASweep, LeavesRoomForTheNamesOfBars) {
  ScaleRequest request;
  request.syncs = {"intraReplicaAndAll", "intraReplicaAndLadder"};
  request.command = {"./program"};
  std::vector<ScalePoint> points = pointsOf(request);
  for (ScalePoint &point : points)
    point.runs = point.ipus = point.seconds = point.throughput = point.efficiency = 1;
  std::ostringstream out;
  writeScalePage(out, request, points);
  const std::string page = out.str();
  const std::string end = "\" y=\"38\" text-anchor=\"end\">intraReplicaAndAll</text>";
  const std::size_t at = page.find(end);
  ASSERT_NE(at, std::string::npos) << page;
  const std::size_t start = page.rfind('"', at - 1) + 1;
  EXPECT_GT(std::stod(page.substr(start, at - start)), 120) << "18 letters are as wide as this";
}

} // namespace
} // namespace copse::tools
