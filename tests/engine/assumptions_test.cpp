// Tests the course that a run without data assumes at branches and loops.
#include "engine/assumptions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>

namespace copse::engine {
namespace {

/// An If without a name, one named "net/if", a Switch with the case 0, and a While named "loop".
wire::Image image() {
  wire::Image image;
  image.messages = {"net/if", "loop"};
  image.steps = {{.op = wire::Op::If},
                 {.op = wire::Op::If, .index = 1},
                 {.op = wire::Op::Switch, .count = 1, .body = 1},
                 {.op = wire::Op::Case, .index = 0},
                 {.op = wire::Op::While, .index = 2, .count = 1}};
  return image;
}

constexpr std::uint32_t kUnnamed = 0, kNamed = 1, kSwitch = 2, kWhile = 4;

std::optional<std::uint32_t> assumed(const std::string &text, std::uint32_t step) {
  return Assumptions(text).at(image(), step);
}

TEST(Assumptions, AreOfTheKindOfTheStep) {
  for (const std::uint32_t step : {kUnnamed, kNamed, kSwitch, kWhile})
    EXPECT_EQ(assumed("", step), std::nullopt);
  EXPECT_EQ(assumed("if=true", kUnnamed), 1U);
  EXPECT_EQ(assumed("if=false", kNamed), 0U);
  EXPECT_EQ(assumed("if=true", kWhile), std::nullopt);
  EXPECT_EQ(assumed("switch=5", kSwitch), 5U);
  EXPECT_EQ(assumed("while=1000", kWhile), 1000U);
}

TEST(Assumptions, ChooseTheDefaultByAValueThatNoCaseHas) {
  EXPECT_EQ(assumed("switch=default", kSwitch), 1U);
}

TEST(Assumptions, AssumptionByNamePrecedesOneByKind) {
  const std::string text = "if:net/if=false,if=true";
  EXPECT_EQ(assumed(text, kNamed), 0U);
  EXPECT_EQ(assumed(text, kUnnamed), 1U);
  EXPECT_EQ(assumed("if:net/*=false,if:other=true", kNamed), 0U);
  EXPECT_EQ(assumed("if:0=true", kUnnamed), 1U);
  EXPECT_EQ(assumed("if:0=true", kNamed), std::nullopt);
  EXPECT_EQ(assumed("while=3,while=4", kWhile), 4U);
}

TEST(Assumptions, AreGivenAsExamplesThatFitTheStep) {
  for (const std::uint32_t step : {kUnnamed, kNamed, kSwitch, kWhile})
    EXPECT_TRUE(assumed(Assumptions::exampleFor(image(), step), step)) << step;
}

TEST(Assumptions, ErrorNamesTheWrongAssumption) {
  for (const char *const wrong : {"if", "if=1", "unless=true", "while=many", "while=-1",
                                  "while=5000000000", "switch=", "if:=true", "=true"})
    try {
      const Assumptions assumptions(std::string("while=2,") + wrong);
      ADD_FAILURE() << wrong;
    } catch (const std::invalid_argument &error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("the assumption '" + std::string(wrong)));
    }
}

} // namespace
} // namespace copse::engine
