#include "devices.hpp"

#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::ElementsAre;

constexpr const char *kControlFlowCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Increment : public Vertex {
public:
  InOut<int> x;
  bool compute() { *x += 1; return true; }
};
class Below : public Vertex {
public:
  Input<int> x;
  Output<bool> below;
  int limit;
  bool compute() { *below = *x < limit; return true; }
};
class AtLeast : public Vertex {
public:
  Input<int> x;
  Output<bool> reached;
  int limit;
  bool compute() { *reached = *x >= limit; return true; }
};
)";

/// Has a counter on the last IPU, so that decisions that depend on it must reach the other IPUs.
class ControlFlow : public OnEveryDevice {
protected:
  ControlFlow() {
    std::stringstream source(kControlFlowCodelets);
    graph_.addCodelets(source);
    counter_ = scalar(INT, "counter");
    below_ = scalar(BOOL, "below");
    graph_.createHostRead("counter", counter_);
    graph_.createHostWrite("counter", counter_);
  }
  unsigned lastTile() const { return graph_.getTarget().getNumTiles() - 1; }
  Tensor scalar(const Type &type, const char *name) {
    const Tensor t = graph_.addVariable(type, {}, name);
    graph_.setTileMapping(t, lastTile());
    return t;
  }
  Program increment() {
    const ComputeSet set = graph_.addComputeSet("increment");
    const VertexRef v = graph_.addVertex(set, "Increment", {{"x", counter_}});
    graph_.setTileMapping(v, 0); // the edge crosses IPUs
    return Execute(set);
  }
  Program compare(int limit) {
    const ComputeSet set = graph_.addComputeSet("compare");
    const VertexRef v = graph_.addVertex(set, "Below", {{"x", counter_}, {"below", below_}});
    graph_.setInitialValue(v["limit"], limit);
    graph_.setTileMapping(v, lastTile());
    return Execute(set);
  }
  int counterAfter(const Program &program) {
    Engine engine = load(program);
    engine.run();
    return read<int>(engine, "counter", 1)[0];
  }
  Tensor counter_, below_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ControlFlow, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(ControlFlow, RepeatsAsOftenAsItSays) { EXPECT_EQ(counterAfter(Repeat(5, increment())), 5); }
TEST_P(ControlFlow, RepeatsWithinRepeats) {
  EXPECT_EQ(counterAfter(Repeat(3, Repeat(4, increment()))), 12);
}
TEST_P(ControlFlow, RepeatsZeroTimes) { EXPECT_EQ(counterAfter(Repeat(0, increment())), 0); }

TEST_P(ControlFlow, RepeatsWhileTrue) {
  EXPECT_EQ(counterAfter(RepeatWhileTrue(compare(7), below_, increment())), 7);
}
TEST_P(ControlFlow, RepeatsWhileFalse) {
  const ComputeSet set = graph_.addComputeSet("compare");
  const VertexRef v = graph_.addVertex(set, "AtLeast", {{"x", counter_}, {"reached", below_}});
  graph_.setInitialValue(v["limit"], 7);
  graph_.setTileMapping(v, lastTile());
  EXPECT_EQ(counterAfter(RepeatWhileFalse(Execute(set), below_, increment())), 7);
}

TEST_P(ControlFlow, TakesOneBranchOfAnIf) {
  EXPECT_EQ(counterAfter(Sequence({compare(1), If(below_, Repeat(2, increment()), Sequence()),
                                   compare(1), If(below_, Sequence(), Repeat(10, increment()))})),
            12);
}

TEST_P(ControlFlow, SwitchesToTheMatchingCase) {
  Switch choice(counter_, {{0, Repeat(10, increment())}, {10, Repeat(5, increment())}},
                Repeat(100, increment()));
  EXPECT_EQ(counterAfter(Sequence({choice, choice, choice})), 115);
}

TEST_P(ControlFlow, CallsFunctions) {
  const Function twice = graph_.addFunction(Repeat(2, increment()));
  EXPECT_EQ(counterAfter(Sequence({Call(twice), Call(twice)})), 4);
}

TEST_P(ControlFlow, StopsAtAnAbort) {
  Engine engine = load(Sequence({increment(), Abort("enough is enough"), increment()}));
  try {
    engine.run();
    FAIL() << "the program has an Abort";
  } catch (const application_runtime_error &e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("enough is enough"));
  }
  engine.load(device_);
  EXPECT_EQ(read<int>(engine, "counter", 1)[0], 0) << "a load makes the engine usable again";
}

TEST_P(ControlFlow, AbortsOnItsConditionOnly) {
  EXPECT_EQ(counterAfter(Sequence({compare(0), AbortOnCondition(below_, "no"), increment()})), 1);
}

TEST_P(ControlFlow, KeepsVariablesFromRunToRun) {
  Engine engine = load(increment());
  engine.run();
  engine.run();
  EXPECT_EQ(read<int>(engine, "counter", 1)[0], 2);
}

TEST_P(ControlFlow, RunsProgramsByTheirIndex) {
  Engine engine(graph_, {Sequence(), increment(), Repeat(10, increment())});
  engine.load(device_);
  engine.run(2);
  engine.run(1);
  engine.run(0);
  EXPECT_EQ(read<int>(engine, "counter", 1)[0], 11);
  EXPECT_THROW(engine.run(3), poplar_error);
}

} // namespace
} // namespace copse::test
