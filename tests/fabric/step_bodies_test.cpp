#include "wire/step_bodies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace copse::wire {
namespace {

using ::testing::ElementsAre;

Step with(Op op, std::uint32_t body, std::uint32_t other = 0, std::uint32_t count = 0) {
  return {.op = op, .count = count, .body = body, .other = other};
}
Step indexed(Op op, std::uint32_t index, std::uint32_t body = 0) {
  return {.op = op, .index = index, .body = body};
}
const Step kLeaf = indexed(Op::ComputeSet, 0);

/// A Switch with the cases 7 and 8, of one and two steps, and a default of one step.
std::vector<Step> switchOfTwo() {
  return {with(Op::Switch, 6, 1, 2),
          indexed(Op::Case, 7, 1),
          kLeaf,
          indexed(Op::Case, 8, 2),
          kLeaf,
          kLeaf,
          kLeaf};
}

std::vector<StepRange> bodiesOfTheFirst(const std::vector<Step> &steps) {
  std::vector<StepRange> bodies;
  visitBodies(steps, 0, [&](const StepRange &body) { bodies.push_back(body); });
  return bodies;
}

TEST(StepBodies, FollowTheirStepInTheOrderOfTheList) {
  EXPECT_THAT(bodiesOfTheFirst({kLeaf}), ElementsAre());
  EXPECT_THAT(bodiesOfTheFirst({indexed(Op::Call, 0)}), ElementsAre());
  EXPECT_THAT(bodiesOfTheFirst({with(Op::Repeat, 2), kLeaf, kLeaf}), ElementsAre(StepRange{1, 2}));
  EXPECT_THAT(bodiesOfTheFirst({with(Op::If, 2, 1), kLeaf, kLeaf, kLeaf}),
              ElementsAre(StepRange{1, 2}, StepRange{3, 1}));
  EXPECT_THAT(bodiesOfTheFirst(switchOfTwo()),
              ElementsAre(StepRange{2, 1}, StepRange{4, 2}, StepRange{6, 1}));
}

TEST(StepBodies, TheConditionOfALoopComesFirst) {
  const std::vector<Step> loop{with(Op::While, 1, 2), kLeaf, kLeaf, kLeaf};
  EXPECT_THAT(bodiesOfTheFirst(loop), ElementsAre(StepRange{1, 2}, StepRange{3, 1}));
  EXPECT_EQ(loopBodies(loop[0], 0).condition, (StepRange{1, 2}));
}

TEST(StepBodies, ASwitchChoosesItsFirstCaseWithTheValueOrTheDefault) {
  auto steps = switchOfTwo();
  EXPECT_EQ(chosenBody(steps, 0, 8), (StepRange{4, 2}));
  EXPECT_EQ(chosenBody(steps, 0, 9), (StepRange{6, 1}));
  steps[3].index = 7;
  EXPECT_EQ(chosenBody(steps, 0, 7), (StepRange{2, 1}));
}

TEST(StepBodies, TheNextStepComesAfterAllBodies) {
  EXPECT_EQ(stepAfter(std::vector{kLeaf}, 0), 1u);
  EXPECT_EQ(stepAfter(std::vector{with(Op::If, 2, 1), kLeaf, kLeaf, kLeaf}, 0), 4u);
  EXPECT_EQ(stepAfter(switchOfTwo(), 0), 7u);
}

TEST(StepBodies, LengthsOfImagesThatAreNotValidDoNotWrapRound) {
  EXPECT_EQ(bodySteps(with(Op::While, ~0U, ~0U)), 2 * std::uint64_t{~0U});
}

TEST(StepBodies, AFunctionIsReachedOnceWhereItIsCalledFirst) {
  Image image;
  image.steps = {with(Op::Repeat, 1),
                 indexed(Op::Call, 1),
                 indexed(Op::Call, 1),
                 kLeaf, // program
                 indexed(Op::Call, 0),
                 indexed(Op::Call, 0), // function 1
                 kLeaf,                // function 0
                 kLeaf};               // function 2, which is never called
  image.programs = {{0, 4}};
  image.calls = {{6, 1}, {4, 2}, {7, 1}};
  std::vector<std::uint32_t> reached;
  visitReachable(image, image.programs, [&](std::uint32_t at) { reached.push_back(at); });
  EXPECT_THAT(reached, ElementsAre(0, 1, 4, 6, 5, 2, 3));
}

} // namespace
} // namespace copse::wire
