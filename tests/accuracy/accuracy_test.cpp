// Tests copse accuracy, which prints published figures beside the modelled ones.
#include "comparison.hpp"
#include "page.hpp"
#include "public_programs.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

namespace copse::accuracy {
namespace {

using ::testing::HasSubstr;

const std::vector<Comparison> &all() {
  static const std::vector<Comparison> comparisons = compare(ownFigures());
  return comparisons;
}

// One test, because computing all figures takes seconds and each test is a process of its own.
TEST(Accuracy, KeepsSixtyFiguresWithinTheirBoundsAndItsPageTrue) {
  EXPECT_GE(all().size(), 60u);
  const Errors errors = errorsOf(all(), Standing::Predicted);
  EXPECT_LE(errors.mean, 0.10);
  for (const Comparison &each : all())
    if (each.figure.standing == Standing::Predicted && std::abs(each.error()) > 0.10) {
      EXPECT_NE(each.figure.note, "") << each.figure.group << ": " << each.figure.name
                                      << ": more than 10 % off, and no note says why";
    }
  for (const Comparison &each : all())
    if (each.figure.standing != Standing::Predicted) {
      EXPECT_LE(std::abs(each.error()), 0.12) << each.figure.group << ": " << each.figure.name;
    }
  std::ostringstream written;
  writePage(written, all(), "pictures/accuracy.svg");
  std::ifstream page(ACCURACY_PAGE);
  const std::string kept{std::istreambuf_iterator<char>(page), {}};
  EXPECT_EQ(kept, written.str()) << "write it again: copse accuracy --output docs/accuracy.md";
}

std::string refusalOf(const std::string &figures) {
  try {
    compare(readFigures("{\"group\": \"g\", \"source\": \"s\", \"figures\": [" + figures + "]}",
                        "mine.json"));
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

TEST(Figures, AreRefusedWithTheirPlace) {
  EXPECT_THAT(refusalOf(R"({"name": "n"})"), HasSubstr("mine.json: figure 1: "));
  EXPECT_THAT(refusalOf(R"({"name": "n", "machine": "m", "program": "p", "value": 1, "unit": "u",
                            "standin": "given"})"),
              HasSubstr("there is no entry 'standin'"));
  EXPECT_THAT(refusalOf(R"({"name": "n", "machine": "m", "program": "p", "value": -1,
                            "unit": "u"})"),
              HasSubstr("'value' must be greater than 0"));
  EXPECT_THAT(refusalOf(R"({"name": "n", "machine": "m", "program": "p", "value": 1,
                            "unit": "u"})"),
              HasSubstr("figure 'g: n': there is no program 'p'"));
  EXPECT_THAT(refusalOf(R"({"name": "n", "machine": "m", "program": "sync", "value": 1, "unit": "u",
                            "parameters": {"ipus": 2, "speed": 3}})"),
              HasSubstr("the program has no parameter 'speed'"));
  EXPECT_THAT(refusalOf(R"({"name": "n", "machine": "m", "program": "sync", "value": 1, "unit": "u",
                            "parameters": {}})"),
              HasSubstr("parameter 'ipus' is missing"));
}

TEST(PublicPrograms, AreListedWithTheirDifference) {
  std::ostringstream section;
  writeSection(section, readPublicPrograms(R"({"date": "2026-11-28", "figures": [
      {"program": "p", "machine": "GC2", "name": "n", "unit": "s", "source": "README",
       "published": 0.5, "printed": 0.4, "note": "executed"}]})"));
  EXPECT_THAT(section.str(),
              HasSubstr("| p | GC2 | n | 0.5 s | 0.4 | -20.0 % | README; executed |"));
}

TEST(PublicPrograms, AreRefusedWithTheirPlace) {
  const auto refusalOf = [](const std::string &figures) -> std::string {
    try {
      readPublicPrograms("{\"date\": \"d\", \"figures\": [" + figures + "]}");
    } catch (const std::exception &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusalOf(R"({"program": "p"})"), HasSubstr("figure 1: "));
  EXPECT_THAT(refusalOf(R"({"program": "p", "shown": 1})"), HasSubstr("no entry 'shown'"));
  EXPECT_THAT(refusalOf(R"({"program": "p", "machine": "m", "name": "n", "unit": "s",
                            "source": "s", "published": 0, "printed": 1})"),
              HasSubstr("must be greater than 0"));
}

TEST(UserFigure, IsComparedLikeThoseOfCopse) {
  const std::vector<Comparison> compared = compare(readFigures(
      R"({"group": "g", "source": "s", "figures": [{"name": "n", "machine": "m", "value": 300,
          "unit": "cycles", "program": "sync", "parameters": {"ipus": 2}}]})",
      "mine.json"));
  ASSERT_EQ(compared.size(), 1u);
  EXPECT_EQ(compared[0].modelled, 600);
  EXPECT_EQ(compared[0].error(), 1);
}

} // namespace
} // namespace copse::accuracy
