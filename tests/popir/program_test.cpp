#include "snap_run.hpp"

#include <poplar/exceptions.hpp>
#include <snap/DataStream.hpp>
#include <snap/Function.hpp>
#include <snap/RemoteBuffer.hpp>
#include <snap/popops/ElementWise.hpp>
#include <snap/popops/codelets.hpp>

namespace copse::test {
namespace {

namespace program = snap::program;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SnapPrograms : public SnapRun {
protected:
  SnapPrograms() { snap::popops::addCodelets(graph_); }

  /// Returns how many elements of \p t lie on each tile.
  std::vector<std::size_t> sizesOnTiles(const snap::Tensor &t) {
    std::vector<std::size_t> sizes;
    for (const auto &intervals : graph_.getPoplarGraph().getTileMapping(t.getPoplarTensor())) {
      sizes.push_back(0);
      for (const poplar::Interval &interval : intervals)
        sizes.back() += interval.size();
    }
    return sizes;
  }

  /// Returns a sequence that adds one to \p t.
  program::Sequence increment(const snap::Tensor &t) {
    program::Sequence body({"increment"}, graph_);
    snap::popops::addInPlace(graph_, t, one(), body);
    return body;
  }
};

TEST_F(SnapPrograms, ControlFlowRunsItsBodies) {
  const snap::Tensor repeated = ints({0}, "repeated"), taken = ints({0}, "taken"),
                     chosen = ints({0}, "chosen"), called = ints({0}, "called"),
                     down = ints({3}, "down"), passed = ints({0}, "passed");
  const program::Sequence nothing(graph_);
  prog_.add(program::Repeat(5, increment(repeated), {"five times"}));
  prog_.add(program::If(repeated[0], increment(taken), nothing));

  program::Switch cases(repeated.reshape({}), increment(chosen), {"cases"});
  cases.add(4, nothing).add(5, program::Repeat(7, increment(chosen)));
  prog_.add(cases);

  const snap::Function function = graph_.addFunction(increment(called));
  prog_.add(program::Call(graph_, function));
  prog_.add(program::Call(graph_, function, {"again"}));

  program::Sequence decrement(graph_);
  const snap::Tensor minusOne = graph_.addConstant(poplar::INT, {}, -1);
  graph_.getPoplarGraph().setTileMapping(minusOne.getPoplarTensor(), 1);
  snap::popops::addInPlace(graph_, down, minusOne, decrement);
  prog_.add(
      program::RepeatWhileTrue(nothing, down[0], program::Sequence{decrement, increment(passed)}));
  prog_.add(program::RepeatWhileFalse(nothing, down[0], increment(down)));

  for (const auto &[name, t] : {std::pair{"repeated", repeated},
                                {"taken", taken},
                                {"chosen", chosen},
                                {"called", called},
                                {"down", down},
                                {"passed", passed}})
    readable(name, t);
  run();
  EXPECT_EQ(read("repeated", 1), std::vector<int>{5});
  EXPECT_EQ(read("taken", 1), std::vector<int>{1});
  EXPECT_EQ(read("chosen", 1), std::vector<int>{7});
  EXPECT_EQ(read("called", 1), std::vector<int>{2});
  EXPECT_EQ(read("passed", 1), std::vector<int>{3});
  EXPECT_EQ(read("down", 1), std::vector<int>{1});
}

TEST_F(SnapPrograms, ProgramsAddedToThePoplarSequenceBelongToTheSnapSequence) {
  const snap::Tensor t = ints({1, 2}, "t"), copy = graph_.clone(t, {"copy"});
  prog_.getPoplarSequence().add(poplar::program::Copy(t.getPoplarTensor(), copy.getPoplarTensor()));
  const program::Program kept = prog_;
  EXPECT_FALSE(kept.getPoplarProgram().isEmpty());
  EXPECT_TRUE(program::Program().getPoplarProgram().isEmpty());
  readable("copy", copy);
  run();
  EXPECT_EQ(read("copy", 2), (std::vector<int>{1, 2}));
}

TEST_F(SnapPrograms, StreamsAndRemoteBuffersCarryTensors) {
  const snap::Tensor t = graph_.addLinearlyMappedVariable(poplar::INT, {4}, "t");
  const snap::Tensor back = graph_.clone(t), row = ints({1}, "row");
  const snap::DataStream in = graph_.addHostToDeviceFIFO("in", poplar::INT, 4);
  const snap::DataStream out = graph_.addDeviceToHostFIFO("out", poplar::INT, 4);
  const snap::RemoteBuffer rows = graph_.addRemoteBuffer("rows", poplar::INT, 4, 2);
  const snap::RemoteBuffer only = graph_.addRemoteBuffer("only", poplar::INT, 4);
  prog_.add(program::Copy(in, t, false, {"in"}));
  prog_.add(program::Copy(t, rows, row));
  prog_.add(program::Copy(rows, back, row));
  prog_.add(program::Copy(back, only));
  prog_.add(program::WriteUndef(back));
  prog_.add(program::Copy(only, back));
  prog_.add(program::Sync(graph_, poplar::SyncType::GLOBAL));
  prog_.add(program::Copy(back, out));

  compile();
  std::vector<int> sent{4, 3, 2, 1}, received(4);
  engine_->connectStream("in", sent.data(), sent.data() + sent.size());
  engine_->connectStream("out", received.data(), received.data() + received.size());
  run();
  EXPECT_EQ(received, sent);
  std::vector<int> second(4);
  engine_->copyFromRemoteBuffer("rows", second.data(), 1);
  EXPECT_EQ(second, sent);
}

TEST_F(SnapPrograms, TensorsAreReadAndPrinted) {
  const snap::Tensor t = ints({7, 8}, "seven");
  prog_.add(program::PrintTensor(t));
  prog_.add(program::PrintTensor("title", t));
  run();
  EXPECT_THAT(printed_.str(), HasSubstr("seven"));
  EXPECT_THAT(printed_.str(), HasSubstr("title: "));
}

TEST_F(SnapPrograms, AbortOnConditionStopsWithItsMessage) {
  prog_.add(program::AbortOnCondition(ints({0}, "zero")[0], "not yet"));
  prog_.add(program::AbortOnCondition(ints({1}, "set")[0], "now"));
  try {
    run();
    FAIL() << "the program ran to its end";
  } catch (const poplar::application_runtime_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("now"));
  }
}

TEST_F(SnapPrograms, AbortStops) {
  prog_.add(program::Abort(graph_, "over"));
  EXPECT_THROW(run(), poplar::application_runtime_error);
}

TEST_F(SnapPrograms, ErrorProgramPrintsItsTensorAndStops) {
  prog_.add(program::ErrorProgram("wrong", ints({42}, "t")));
  EXPECT_THROW(run(), poplar::application_runtime_error);
  EXPECT_THAT(printed_.str(), HasSubstr("42"));
}

TEST_F(SnapPrograms, LinearMappingsFillTilesInOrder) {
  const std::vector<float> values(256, 1.0F);
  const snap::Tensor mapped[] = {
      graph_.addLinearlyMappedVariable(poplar::FLOAT, {256}),
      graph_.addLinearlyMappedConstant(poplar::FLOAT, {256}, poplar::ArrayRef<float>(values))};
  for (const snap::Tensor &t : mapped)
    EXPECT_EQ(sizesOnTiles(t), (std::vector<std::size_t>{64, 64, 64, 64}));
  EXPECT_EQ(sizesOnTiles(graph_.addLinearlyMappedVariable(poplar::FLOAT, {256}, 96, 32, {"three"})),
            (std::vector<std::size_t>{128, 128, 0, 0}));
}

TEST_F(SnapPrograms, ViewsOfSeveralTensors) {
  const snap::Tensor t = ints({0, 1, 2, 3}, "t");
  const auto parts = t.slices({poplar::Interval(0, 1), poplar::Interval(2, 4)});
  ASSERT_EQ(parts.size(), 2u);
  readable("joined", snap::concat(parts[1], parts[0]));
  readable("all", snap::concat({parts[0].expand({0}), parts[0].expand({0})}, 1));
  run();
  EXPECT_THAT(read("joined", 3), ElementsAre(2, 3, 0));
  EXPECT_THAT(read("all", 2), ElementsAre(0, 0));
}

} // namespace
} // namespace copse::test
