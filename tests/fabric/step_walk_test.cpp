#include "wire/step_walk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>

namespace copse::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Notes the work of a walk, with predicates that a test gives.
struct Notes : StepVisitor {
  std::vector<std::uint32_t> worked;
  std::deque<std::uint32_t> predicates; ///< in the order in which they are asked for
  std::size_t most = 1000;              ///< the walk ends with as many steps worked
  std::vector<std::string> loops;       ///< "begin TURNS", "end"
  std::uint32_t skipped = 0;            ///< turns that the first turn of a Repeat stands for
  std::uint32_t together = 1;           ///< steps that are worked as one

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

Step leaf() { return {.op = Op::ComputeSet}; }
Step with(Op op, std::uint32_t body, std::uint32_t other = 0, std::uint32_t count = 0) {
  return {.op = op, .count = count, .body = body, .other = other};
}

/// Walks all of \p steps as one program, of which the first \p own steps are its own and the others
/// those of function 0.
std::vector<std::uint32_t> walk(std::vector<Step> steps, Notes &notes, std::uint32_t own = 0) {
  Image image;
  const auto all = static_cast<std::uint32_t>(steps.size());
  image.steps = std::move(steps);
  own = own == 0 ? all : own;
  image.calls = {{own, all - own}};
  StepWalk(image, notes).run({0, own});
  return notes.worked;
}

TEST(StepWalk, ARepeatWalksItsBodyAsOftenAsItSays) {
  Notes notes;
  EXPECT_THAT(walk({with(Op::Repeat, 2, 0, 3), leaf(), leaf(), leaf()}, notes),
              ElementsAre(1, 2, 1, 2, 1, 2, 3));
  EXPECT_THAT(notes.loops, ElementsAre("begin 3", "end"));
}

TEST(StepWalk, TurnsThatAnEarlierOneStandsForAreNotWalked) {
  Notes notes;
  notes.skipped = 2;
  EXPECT_THAT(walk({with(Op::Repeat, 1, 0, 5), leaf()}, notes), ElementsAre(1, 1));
}

TEST(StepWalk, AWhileWalksItsConditionOnceMoreThanItsBody) {
  Notes notes;
  notes.predicates = {1, 7, 0};
  EXPECT_THAT(walk({with(Op::While, 1, 1, 1), leaf(), leaf(), leaf()}, notes),
              ElementsAre(1, 2, 1, 2, 1, 3));
}

TEST(StepWalk, AWhileWhosePredicateShallBeZeroEndsWithAnother) {
  Notes notes;
  notes.predicates = {0, 1};
  EXPECT_THAT(walk({with(Op::While, 1, 1, 0), leaf(), leaf()}, notes), ElementsAre(1, 2, 1));
}

TEST(StepWalk, APredicateChoosesTheWayOfABranch) {
  const std::vector<Step> branch{with(Op::If, 1, 1), leaf(), leaf(), leaf()};
  Notes taken, otherwise, unknown;
  taken.predicates = {5};
  otherwise.predicates = {0};
  EXPECT_THAT(walk(branch, taken), ElementsAre(1, 3));
  EXPECT_THAT(walk(branch, otherwise), ElementsAre(2, 3));
  EXPECT_THAT(walk(branch, unknown), ElementsAre(3));
}

TEST(StepWalk, ASwitchWalksTheBodyOfItsCase) {
  const std::vector<Step> choice{with(Op::Switch, 4, 1, 1),
                                 {.op = Op::Case, .index = 7, .body = 2},
                                 leaf(),
                                 leaf(),
                                 leaf(),
                                 leaf()};
  Notes ofCase, byDefault;
  ofCase.predicates = {7};
  byDefault.predicates = {8};
  EXPECT_THAT(walk(choice, ofCase), ElementsAre(2, 3, 5));
  EXPECT_THAT(walk(choice, byDefault), ElementsAre(4, 5));
}

TEST(StepWalk, ACallWalksItsFunction) {
  Notes notes;
  EXPECT_THAT(walk({{.op = Op::Call}, leaf(), {.op = Op::Call}, leaf(), leaf()}, notes, 3),
              ElementsAre(3, 4, 1, 3, 4));
}

TEST(StepWalk, StepsThatWereWorkedTogetherAreWalkedOnce) {
  Notes notes;
  notes.together = 2;
  EXPECT_THAT(walk({leaf(), leaf(), leaf()}, notes), ElementsAre(0, 2));
}

TEST(StepWalk, AVisitorThatIsDoneEndsAllLoops) {
  Notes notes;
  notes.most = 3;
  EXPECT_THAT(
      walk({with(Op::Repeat, 2, 0, ~0U), with(Op::Repeat, 1, 0, ~0U), leaf(), leaf()}, notes),
      ElementsAre(2, 2, 2));
  EXPECT_THAT(notes.loops, ElementsAre("begin 4294967295", "begin 4294967295", "end", "end"));
}

TEST(StepWalk, AnEmptyBodyIsNoLoop) {
  Notes notes;
  EXPECT_THAT(walk({with(Op::Repeat, 0, 0, ~0U)}, notes), IsEmpty());
  EXPECT_THAT(notes.loops, IsEmpty());
}

} // namespace
} // namespace copse::wire
