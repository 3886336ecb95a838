#include "models.hpp"

#include "compiler/liveness.hpp"

#include <gmock/gmock.h>

namespace copse::compiler {
namespace {

using graph::ProgramNode;
using graph::ProgramPtr;
using graph::Run;
using graph::VariableId;
using graph::View;
namespace kind = graph::kind;

constexpr std::uint64_t kElements = 4;

/// Variables a, b, c, d of four elements on one tile, and programs over them.
class FindLiveness : public ::testing::Test {
protected:
  FindLiveness() : model_(test::emptyModel(1, 1)) {
    for (const char *name : {"a", "b", "c", "d"})
      test::addVariable(model_, name, std::vector<std::uint32_t>(kElements, 0));
    model_.streams.resize(2);
  }

  static View whole(VariableId v) { return View::ofVariable(v, {kElements}); }
  static View half(VariableId v) { return View::ofRuns({{v, 0, 2, 1}}, {2}); }
  static ProgramPtr node(graph::ProgramKind kind) {
    return std::make_shared<const ProgramNode>(ProgramNode{"", std::move(kind)});
  }
  static graph::TypedView typed(View view) { return {graph::ElementType::Float, std::move(view)}; }
  static graph::TypedView oneOf(VariableId v) { return typed(View::ofRuns({{v, 0, 1, 1}}, {})); }
  static ProgramPtr copy(View from, View to) {
    return node(kind::Copy{typed(std::move(from)), typed(std::move(to))});
  }
  /// Reverses the order, so that the destination has another value than the source.
  static ProgramPtr copy(VariableId from, VariableId to) {
    return copy(whole(from).reverse(0), whole(to));
  }
  static ProgramPtr same(VariableId from, VariableId to) { return copy(whole(from), whole(to)); }
  static ProgramPtr write(VariableId v) {
    return node(kind::StreamCopy{.toHost = false, .tensor = typed(whole(v))});
  }
  static ProgramPtr read(VariableId v) {
    return node(kind::StreamCopy{.toHost = true, .tensor = typed(whole(v))});
  }
  static ProgramPtr undefined(VariableId v) { return node(kind::WriteUndef{typed(whole(v))}); }
  static ProgramPtr sync() { return node(kind::Sync{}); }
  static ProgramPtr sequence(std::vector<ProgramPtr> children) {
    return node(kind::Sequence{std::move(children)});
  }
  static ProgramPtr repeat(unsigned times, ProgramPtr body) {
    return node(kind::Repeat{times, std::move(body)});
  }
  static ProgramPtr branch(VariableId predicate, ProgramPtr yes, ProgramPtr no) {
    return node(kind::If{oneOf(predicate), std::move(yes), std::move(no)});
  }
  static ProgramPtr loopWhile(VariableId predicate, ProgramPtr condition, ProgramPtr body) {
    return node(kind::RepeatWhile{true, oneOf(predicate), std::move(condition), std::move(body)});
  }
  ProgramPtr call(std::uint32_t function) { return node(kind::Call{function}); }
  ProgramPtr execute(std::uint32_t set) { return node(kind::Execute{set, {}}); }

  void analyse(const std::vector<ProgramPtr> &programs) {
    liveness_ = findLiveness(model_, programs, VertexIndex(model_));
  }
  bool overlap(VariableId x, VariableId y) const {
    return liveness_.ranges.overlap(liveness_.variables[x], liveness_.variables[y]);
  }
  VariableId home(VariableId v) const { return liveness_.homes[v]; }
  bool always(VariableId v) const { return liveness_.variables[v] == LiveRanges::kAlways; }

  static constexpr VariableId a = 0, b = 1, c = 2, d = 3;
  graph::Model model_;
  Liveness liveness_;
};

TEST_F(FindLiveness, LetsValuesShareThatAreNotLiveTogether) {
  analyse({sequence({write(a), copy(a, b), copy(b, c), read(c)})});
  EXPECT_FALSE(overlap(a, c));
}

TEST_F(FindLiveness, KeepsSourceAndDestinationOfAStepApart) {
  analyse({sequence({write(a), copy(a, b), copy(b, c), read(c)})});
  EXPECT_TRUE(overlap(a, b));
}

TEST_F(FindLiveness, KeepsAnUnreadValueApartFromLiveOnesWhenItIsWritten) {
  analyse(
      {sequence({write(a), sync(), write(b), sync(), read(a), sync(), write(b), sync(), read(b)})});
  EXPECT_TRUE(overlap(a, b));
}

TEST_F(FindLiveness, EndsALiveRangeBetweenTwoWrites) {
  analyse({sequence({write(a), copy(a, b), read(b), sync(), write(c), sync(), read(c), sync(),
                     write(a), sync(), read(a)})});
  EXPECT_FALSE(overlap(a, c));
}

TEST_F(FindLiveness, KeepsValuesThatAreReadBeforeTheyAreWritten) {
  analyse({sequence({copy(a, b), write(a), read(b)})});
  EXPECT_TRUE(always(a));
}

TEST_F(FindLiveness, KeepsValuesThatOneProgramWritesAndAnotherReads) {
  analyse({write(a), read(a)});
  EXPECT_TRUE(always(a));
}

TEST_F(FindLiveness, NeverKeepsUnusedVariables) {
  analyse({sequence({write(a), read(a)})});
  EXPECT_EQ(liveness_.variables[d], LiveRanges::kNever);
}

TEST_F(FindLiveness, KeepsConstantsAndInitialValues) {
  model_.variables[a].constant = true;
  model_.variables[b].initial.push_back({0, 1, 1, std::vector<std::byte>(4)});
  analyse({sequence({write(a), read(a), write(b), read(b)})});
  EXPECT_TRUE(always(a));
  EXPECT_TRUE(always(b));
}

TEST_F(FindLiveness, KeepsVariablesThatTheHostReads) {
  model_.hostAccesses.push_back({"a", false, graph::ElementType::Float, half(a)});
  analyse({sequence({write(a), read(a)})});
  EXPECT_TRUE(always(a));
}

TEST_F(FindLiveness, KeepsVariablesThatAreWrittenInParts) {
  analyse({sequence({write(b), copy(half(b), half(a)), read(a)})});
  EXPECT_TRUE(always(a));
}

TEST_F(FindLiveness, EndsALiveRangeThatSeveralStepsOverwriteInParts) {
  const View lower = half(a), upper = View::ofRuns({{a, 2, 2, 1}}, {2});
  analyse({sequence({write(c), write(b), sync(), read(c), sync(), copy(half(b), lower), sync(),
                     copy(half(b), upper), sync(), read(a)})});
  EXPECT_FALSE(always(a));
  EXPECT_FALSE(overlap(a, c));
  EXPECT_TRUE(overlap(a, b));
}

TEST_F(FindLiveness, EndsALiveRangeThatColumnsOverwrite) {
  const View even = whole(a).subSample(2, 0), odd = whole(a).slice(1, 4, 0).subSample(2, 0);
  analyse({sequence({write(b), copy(half(b), even), copy(half(b), odd), read(a)})});
  EXPECT_FALSE(always(a));
}

TEST_F(FindLiveness, LetsBranchesShareMemory) {
  analyse({sequence({write(a), sync(), write(d), sync(),
                     branch(d, read(a), sequence({write(b), sync(), read(b)}))})});
  EXPECT_FALSE(overlap(a, b));
  EXPECT_TRUE(overlap(a, d));
}

TEST_F(FindLiveness, BeginsALiveRangeAtTheResultOfAComputeSet) {
  const auto set = test::addComputeSet(model_, "set");
  model_.variables[c].elements = 1;
  const ProgramPtr withResult = node(kind::Execute{set, typed(View::ofVariable(c, {1}))});
  analyse({sequence({withResult, branch(c, nullptr, nullptr)})});
  EXPECT_FALSE(always(c));
}

TEST_F(FindLiveness, BeginsALiveRangeAtWriteUndef) {
  analyse({sequence({write(b), undefined(a), copy(half(b), half(a)), read(a)})});
  EXPECT_FALSE(always(a));
}

TEST_F(FindLiveness, KeepsFullyWrittenVariablesAcrossWriteUndef) {
  analyse({sequence({write(a), sync(), write(b), sync(), read(b), sync(), undefined(a), read(a)})});
  EXPECT_TRUE(overlap(a, b)) << "PopART's loops over weights";
  EXPECT_FALSE(always(a));
}

TEST_F(FindLiveness, KeepsALoopsInputForAllIterations) {
  analyse(
      {sequence({write(a), repeat(2, sequence({copy(a, b), copy(b, c), copy(c, d)})), read(d)})});
  EXPECT_TRUE(overlap(a, c)) << "the next round reads a";
  EXPECT_FALSE(overlap(b, d));
}

TEST_F(FindLiveness, KeepsValuesThatAnIterationPassesToTheNext) {
  analyse({sequence(
      {write(a), repeat(2, sequence({copy(a, b), copy(b, c), sync(), copy(c, a)})), read(a)})});
  EXPECT_FALSE(overlap(a, b) && overlap(b, c) && !overlap(a, c));
  EXPECT_TRUE(overlap(a, c));
  EXPECT_FALSE(always(b));
}

TEST_F(FindLiveness, KeepsValuesAcrossALoopThatMayNotIterate) {
  analyse({sequence({write(a), sync(), write(b), sync(), read(b), sync(), repeat(0, write(a)),
                     sync(), read(a)})});
  EXPECT_TRUE(overlap(a, b));
}

TEST_F(FindLiveness, KeepsValuesThatAConditionalLoopMayNotOverwrite) {
  analyse({sequence({write(a), sync(), write(b), sync(), read(b), sync(),
                     loopWhile(c, write(c), write(a)), sync(), read(a)})});
  EXPECT_TRUE(overlap(a, b));
}

TEST_F(FindLiveness, KeepsAConditionsInputForAllIterations) {
  analyse({sequence({write(a), loopWhile(b, copy(a, b), sequence({write(c), sync(), read(c)}))})});
  EXPECT_TRUE(overlap(a, c));
}

TEST_F(FindLiveness, KeepsValuesThatOneBranchReadsAndAnotherOverwrites) {
  for (const bool swap : {false, true}) {
    const ProgramPtr reads = read(a), overwrites = sequence({write(a), sync(), read(a)});
    analyse({sequence({write(a), sync(), write(b), sync(), read(b), sync(), write(c),
                       branch(c, swap ? overwrites : reads, swap ? reads : overwrites)})});
    EXPECT_TRUE(overlap(a, b)) << swap;
    EXPECT_FALSE(always(a)) << swap;
  }
}

TEST_F(FindLiveness, EndsALiveRangeThatEveryBranchOverwrites) {
  analyse({sequence({write(a), sync(), read(a), sync(), write(b), sync(), read(b), sync(), write(c),
                     branch(c, write(a), write(a)), sync(), read(a)})});
  EXPECT_FALSE(overlap(a, b));
}

TEST_F(FindLiveness, KeepsAPredicateForItsBranch) {
  analyse({sequence({write(a), sync(), write(b), sync(), read(b), branch(a, nullptr, nullptr)})});
  EXPECT_TRUE(overlap(a, b));
}

TEST_F(FindLiveness, LooksIntoAFunctionThatIsCalledOnce) {
  model_.functions = {sequence({write(a), copy(a, b), copy(b, c), read(c)})};
  analyse({call(0)});
  EXPECT_FALSE(overlap(a, c));
}

TEST_F(FindLiveness, LooksIntoAFunctionAtEachCall) {
  model_.functions = {sequence({write(a), copy(a, b), copy(b, c), read(c)})};
  analyse({sequence({call(0), write(d), sync(), read(d), call(0)})});
  EXPECT_FALSE(overlap(a, c));
  EXPECT_FALSE(overlap(a, d));
}

TEST_F(FindLiveness, TreatsAFunctionWithVeryManyCallsAsOneStep) {
  // Each function calls the one before it four times.
  model_.functions = {sequence({write(a), copy(a, b), copy(b, c), read(c)})};
  for (std::uint32_t f = 1; f < 20; ++f)
    model_.functions.push_back(sequence(std::vector<ProgramPtr>(4, call(f - 1))));
  analyse({sequence({call(19), write(d), sync(), read(d), call(19)})});
  EXPECT_TRUE(overlap(a, c));
  EXPECT_FALSE(overlap(a, d));
}

TEST_F(FindLiveness, KeepsAFunctionsInputUntilTheLastCall) {
  model_.functions = {read(a)};
  analyse({sequence({write(a), call(0), write(d), sync(), read(d), call(0)})});
  EXPECT_TRUE(overlap(a, d));
}

TEST_F(FindLiveness, GivesACopyTheMemoryOfItsSource) {
  analyse({write(a), sequence({same(a, b), copy(b, c), read(c)}), read(a)});
  EXPECT_EQ(home(b), a);
  EXPECT_TRUE(always(a));
  EXPECT_EQ(home(c), c);
}

TEST_F(FindLiveness, KeepsASourceForAsLongAsItsCopyIsRead) {
  analyse({sequence({write(a), same(a, b), write(d), sync(), read(d), sync(), read(b)})});
  EXPECT_EQ(home(b), a);
  EXPECT_TRUE(overlap(a, d));
}

TEST_F(FindLiveness, GivesAFunctionsParameterTheMemoryOfItsArgument) {
  model_.functions = {sequence({copy(b, c), read(c)})};
  analyse({write(a), sequence({same(a, b), call(0), same(a, b), call(0)}), read(a)});
  EXPECT_EQ(home(b), a);
}

TEST_F(FindLiveness, KeepsACopyWhoseSourceIsWrittenBeforeItIsRead) {
  analyse({sequence({write(a), same(a, b), write(a), sync(), read(b), sync(), read(a)})});
  EXPECT_EQ(home(b), b);
}

TEST_F(FindLiveness, KeepsACopyWhoseSourceTheNextIterationWrites) {
  analyse({sequence({write(a), repeat(2, sequence({copy(b, c), same(a, b), write(a)})), read(c)})});
  EXPECT_EQ(home(b), b);
  analyse(
      {sequence({write(a), same(a, b), repeat(2, sequence({copy(b, c), copy(c, a)})), read(a)})});
  EXPECT_EQ(home(b), b);
}

TEST_F(FindLiveness, KeepsCopiesThatAreNotAliasesOfTheirSource) {
  const auto keeps = [&](std::vector<ProgramPtr> steps) {
    steps.insert(steps.begin(), sequence({write(a), write(c)}));
    steps.push_back(read(b));
    analyse({sequence(std::move(steps))});
    return home(b) == b;
  };
  EXPECT_FALSE(keeps({same(a, b)}));
  EXPECT_FALSE(keeps({copy(half(a), half(b)), same(a, b)}));
  EXPECT_TRUE(keeps({same(a, b), sync(), read(b), sync(), same(c, b)})) << "of two sources";
  EXPECT_TRUE(keeps({copy(a, b)})) << "in another order";
  EXPECT_TRUE(keeps({same(a, b), sync(), write(b)})) << "written by a stream";
  model_.variables[b].tiles.set(1, 2, graph::kNoTile);
  EXPECT_TRUE(keeps({same(a, b)})) << "on other tiles";
  model_.variables[b].tiles.set(1, 2, 0);
  model_.variables[b].initial.push_back({0, 1, 1, std::vector<std::byte>(4)});
  EXPECT_TRUE(keeps({same(a, b)})) << "with a value of its own";
}

TEST_F(FindLiveness, KeepsACopyThatAVertexWritesOrReadsBesideItsSource) {
  using popc::FieldDirection;
  const auto type =
      test::addVertexType(model_, "V", {FieldDirection::Input, FieldDirection::Output});
  const auto set = test::addComputeSet(model_, "set");
  const auto vertex = test::addVertex(model_, set, type, 0);
  test::connect(model_, vertex, 0, {{b, 0, kElements, 1}});
  test::connect(model_, vertex, 1, {{a, 0, kElements, 1}});
  analyse({sequence({write(a), same(a, b), execute(set), sync(), read(a)})});
  EXPECT_EQ(home(b), b);
  model_.edges[0].runs = {1, 1};
  model_.edges[1].runs = {0, 1};
  analyse({sequence({write(a), same(a, b), execute(set), sync(), read(b)})});
  EXPECT_EQ(home(b), b);
}

TEST_F(FindLiveness, TakesNeighbouringStreamCopiesForOneTransfer) {
  analyse({sequence({write(a), sync(), read(a), write(b), sync(), read(b)})});
  EXPECT_TRUE(overlap(a, b));
}

TEST_F(FindLiveness, KeepsAComputeSetsBuffersWhileItRuns) {
  const auto type =
      test::addVertexType(model_, "V", {popc::FieldDirection::Input, popc::FieldDirection::Output});
  const auto set = test::addComputeSet(model_, "set"), idle = test::addComputeSet(model_, "idle");
  const auto vertex = test::addVertex(model_, set, type, 0);
  test::connect(model_, vertex, 0, {{a, 0, kElements, 1}});
  test::connect(model_, vertex, 1, {{b, 0, kElements, 1}});
  analyse({sequence({write(a), execute(set), sync(), copy(b, c), read(c)})});
  const auto buffers = liveness_.computeSets[set];
  EXPECT_TRUE(liveness_.ranges.overlap(buffers, liveness_.variables[a]));
  EXPECT_TRUE(liveness_.ranges.overlap(buffers, liveness_.variables[b]));
  EXPECT_FALSE(liveness_.ranges.overlap(buffers, liveness_.variables[c]));
  EXPECT_FALSE(always(b)) << "the vertex writes all of it";
  EXPECT_EQ(liveness_.computeSets[idle], LiveRanges::kNever);
}

} // namespace
} // namespace copse::compiler
