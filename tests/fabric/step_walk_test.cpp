#include "wire/step_walk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>

namespace copse::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// WalkNotes the work of a walk, with predicates that a test sets.
struct WalkNotes : StepVisitor {
  std::vector<std::uint32_t> worked;
  std::deque<std::uint32_t> predicates; ///< in the order in which they are asked for
  std::size_t most = 1000;              ///< the walk ends with as many steps worked
  std::vector<std::string> loops;       ///< "begin TURNS", "end"
  /// Iterations that the first iteration of a Repeat stands for.
  std::uint32_t skipped = 0;
  std::uint32_t together = 1; ///< steps that are worked as one

  bool isDone() const { return worked.size() >= most; }
  std::uint32_t work(std::uint32_t at, std::uint32_t end) {
    worked.push_back(at);
    return std::min(together, end - at);
  }
  std::optional<std::uint32_t> predicate(std::uint32_t /*at*/) {
    if (predicates.empty())
      return std::nullopt;
    const std::uint32_t value = predicates.front();
    predicates.pop_front();
    return value;
  }
  void beginLoop(std::uint32_t turns) { loops.push_back("begin " + std::to_string(turns)); }
  std::uint32_t endTurn(std::uint32_t left) { return std::min(left, skipped); }
  void endLoop() { loops.push_back("end"); }
};

Step plainStep() { return {.op = Op::ComputeSet}; }
Step bodied(Op op, std::uint32_t body, std::uint32_t other = 0, std::uint32_t count = 0) {
  return {.op = op, .count = count, .body = body, .other = other};
}

/// Walks all of \p steps as one program; the first \p own steps are its own, the others belong to
/// function 0.
std::vector<std::uint32_t> stepsWorked(std::vector<Step> steps, WalkNotes &notes,
                                       std::uint32_t own = 0) {
  Image image;
  const auto all = static_cast<std::uint32_t>(steps.size());
  image.steps = std::move(steps);
  own = own == 0 ? all : own;
  image.calls = {{own, all - own}};
  StepWalk(image, notes).run({0, own});
  return notes.worked;
}

TEST(StepWalk, ARepeatWalksItsBodyAsOftenAsItSays) {
  WalkNotes notes;
  EXPECT_THAT(
      stepsWorked({bodied(Op::Repeat, 2, 0, 3), plainStep(), plainStep(), plainStep()}, notes),
      ElementsAre(1, 2, 1, 2, 1, 2, 3));
  EXPECT_THAT(notes.loops, ElementsAre("begin 3", "end"));
}

TEST(StepWalk, IterationsThatAnEarlierOneRepresentsAreNotWalked) {
  WalkNotes notes;
  notes.skipped = 2;
  EXPECT_THAT(stepsWorked({bodied(Op::Repeat, 1, 0, 5), plainStep()}, notes), ElementsAre(1, 1));
}

TEST(StepWalk, AWhileWalksItsConditionOnceMoreThanItsBody) {
  WalkNotes notes;
  notes.predicates = {1, 7, 0};
  EXPECT_THAT(
      stepsWorked({bodied(Op::While, 1, 1, 1), plainStep(), plainStep(), plainStep()}, notes),
      ElementsAre(1, 2, 1, 2, 1, 3));
}

TEST(StepWalk, AWhileWhosePredicateShallBeZeroEndsWithAnother) {
  WalkNotes notes;
  notes.predicates = {0, 1};
  EXPECT_THAT(stepsWorked({bodied(Op::While, 1, 1, 0), plainStep(), plainStep()}, notes),
              ElementsAre(1, 2, 1));
}

TEST(StepWalk, APredicateChoosesTheBranch) {
  const std::vector<Step> branch{bodied(Op::If, 1, 1), plainStep(), plainStep(), plainStep()};
  WalkNotes taken, otherwise, unknown;
  taken.predicates = {5};
  otherwise.predicates = {0};
  EXPECT_THAT(stepsWorked(branch, taken), ElementsAre(1, 3));
  EXPECT_THAT(stepsWorked(branch, otherwise), ElementsAre(2, 3));
  EXPECT_THAT(stepsWorked(branch, unknown), ElementsAre(3));
}

TEST(StepWalk, ASwitchWalksTheBodyOfItsCase) {
  const std::vector<Step> choice{bodied(Op::Switch, 4, 1, 1),
                                 {.op = Op::Case, .index = 7, .body = 2},
                                 plainStep(),
                                 plainStep(),
                                 plainStep(),
                                 plainStep()};
  WalkNotes ofCase, byDefault;
  ofCase.predicates = {7};
  byDefault.predicates = {8};
  EXPECT_THAT(stepsWorked(choice, ofCase), ElementsAre(2, 3, 5));
  EXPECT_THAT(stepsWorked(choice, byDefault), ElementsAre(4, 5));
}

TEST(StepWalk, ACallWalksItsFunction) {
  WalkNotes notes;
  EXPECT_THAT(
      stepsWorked({{.op = Op::Call}, plainStep(), {.op = Op::Call}, plainStep(), plainStep()},
                  notes, 3),
      ElementsAre(3, 4, 1, 3, 4));
}

TEST(StepWalk, StepsThatWereWorkedTogetherAreWalkedOnce) {
  WalkNotes notes;
  notes.together = 2;
  EXPECT_THAT(stepsWorked({plainStep(), plainStep(), plainStep()}, notes), ElementsAre(0, 2));
}

TEST(StepWalk, AFinishedVisitorEndsAllLoops) {
  WalkNotes notes;
  notes.most = 3;
  EXPECT_THAT(stepsWorked({bodied(Op::Repeat, 2, 0, ~0U), bodied(Op::Repeat, 1, 0, ~0U),
                           plainStep(), plainStep()},
                          notes),
              ElementsAre(2, 2, 2));
  EXPECT_THAT(notes.loops, ElementsAre("begin 4294967295", "begin 4294967295", "end", "end"));
}

TEST(StepWalk, AnEmptyBodyIsNoLoop) {
  WalkNotes notes;
  EXPECT_THAT(stepsWorked({bodied(Op::Repeat, 0, 0, ~0U)}, notes), IsEmpty());
  EXPECT_THAT(notes.loops, IsEmpty());
}

} // namespace
} // namespace copse::wire
