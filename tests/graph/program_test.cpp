#include "graph_fixture.hpp"
#include "program_idioms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace copse::graph {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::HasSubstr;
using ::testing::Not;
namespace kind = copse::graph::kind;

class ProgramTest : public ::testing::Test {
protected:
  Graph graph{test::ipuTarget()};
  Tensor a = graph.addVariable(FLOAT, {4}, "a"), b = graph.addVariable(FLOAT, {4}, "b");
  Tensor ints = graph.addVariable(INT, {4}), flag = graph.addVariable(BOOL, {});
  Tensor control = graph.addVariable(INT, {});
  ComputeSet cs = graph.addComputeSet("cs");

  std::string dump(const Program &program) {
    std::ostringstream out;
    dumpProgram(graph, program, out);
    return out.str();
  }
};

/// Returns how many Execute nodes one run of the sequence reaches without loops.
std::size_t executions(const ProgramNode &node) {
  std::size_t n = copse::graph::as<kind::Execute>(node) ? 1 : 0;
  visitChildren(node, [&](const ProgramPtr &child) { n += executions(*child); });
  return n;
}

TEST_F(ProgramTest, EverySequenceIdiomHoldsItsPrograms) {
  std::vector<std::size_t> counts;
  for (const Program &program : sequenceIdioms(graph)) {
    counts.push_back(executions(*nodeOf(program)));
  }
  EXPECT_THAT(counts, ::testing::ElementsAre(0, 0, 0, 0, 0, 0, 0, 2, 2, 3, 3, 2, 1, 1, 1, 1));
}

TEST_F(ProgramTest, ANameInsteadOfAFlagNamesTheCopy) {
  EXPECT_EQ(nodeOf(Copy(a, b, "name"))->name, "name");
  EXPECT_EQ(programIdioms(graph).size(), 22u);
  EXPECT_EQ(graphIdioms(graph).size(), 31u);
}

TEST_F(ProgramTest, CodeIsLoadedForItsFunction) {
  const Function f = graph.addFunction(Execute(cs)), g = graph.addFunction(Sequence());
  const FunctionBuffer buffer = graph.addFunctionBuffer(f, FunctionBufferMappingType::REMOTE);
  EXPECT_EQ(buffer, graph.addFunctionBuffer(f, FunctionBufferMappingType::REMOTE));
  EXPECT_EQ(nodeOf(Copy(buffer, f, "load"))->name, "load");
  EXPECT_THROW(Copy(buffer, g), control_program_error);
  EXPECT_THROW(Copy(FunctionBuffer(), f), control_program_error);
  EXPECT_THROW(graph.addFunctionBuffer(Function(), FunctionBufferMappingType::REMOTE),
               control_program_error);
  Graph other{test::ipuTarget()};
  EXPECT_THROW(other.addFunctionBuffer(f, FunctionBufferMappingType::REMOTE),
               control_program_error);
}

TEST_F(ProgramTest, ACopyOfARemoteBuffersStreamIsOneOfItsOnlyRow) {
  const RemoteBuffer one = graph.addRemoteBuffer("one", FLOAT, 4);
  const RemoteBuffer two = graph.addRemoteBuffer("two", FLOAT, 4, 2);
  const DataStream in = one.getHostToIpuStream(), out = one.getIpuToHostStream();
  EXPECT_EQ(in, one.getHostToIpuStream());
  EXPECT_NE(in, out);
  EXPECT_EQ(in.type(), DataStreamType::HostToDeviceBuffer);
  EXPECT_EQ(out.type(), DataStreamType::DeviceToHostBuffer);
  EXPECT_EQ(in.handle(), "one");
  EXPECT_EQ(in.numElements(), 4u);
  const Copy read(in, a), write(a, out);
  const auto *reads = as<kind::RemoteCopy>(*nodeOf(read));
  const auto *writes = as<kind::RemoteCopy>(*nodeOf(write));
  ASSERT_TRUE(reads && writes);
  EXPECT_FALSE(reads->toBuffer);
  EXPECT_TRUE(writes->toBuffer);
  EXPECT_THROW(Copy(out, a), control_program_error);
  EXPECT_THROW(Copy(two.getHostToIpuStream(), a), control_program_error);
  EXPECT_THROW(RemoteBuffer().getHostToIpuStream(), poplar_error);
}

TEST_F(ProgramTest, ASequenceIsTakenAsItIsWhenItIsAdded) {
  Sequence inner(Execute{cs});
  Sequence outer(inner);
  Sequence copy;
  copy.add(inner);
  inner.add(Execute(cs));
  EXPECT_EQ(executions(*nodeOf(copy)), 1u);
  EXPECT_EQ(executions(*nodeOf(inner)), 2u);
  inner.add(inner);
  EXPECT_EQ(executions(*nodeOf(inner)), 4u);
}

TEST_F(ProgramTest, ProgramsKeepWhatTheyReferTo) {
  Program p;
  {
    const Tensor temporary = graph.addVariable(FLOAT, {4});
    p = Copy(a, temporary);
  }
  EXPECT_EQ(std::get<kind::Copy>(nodeOf(p)->kind).destination.view.numElements(), 4u);
}

TEST_F(ProgramTest, SwitchTakesCasesInAnyForm) {
  Switch s(control, Execute(cs));
  s.add(3, Execute(cs)).add(-1, Sequence());
  const auto choice = std::get<kind::Switch>(nodeOf(s)->kind);
  ASSERT_EQ(choice.cases.size(), 2u);
  EXPECT_EQ(choice.cases[0].value, 3);
  EXPECT_EQ(choice.cases[1].value, -1);
  EXPECT_NE(copse::graph::as<kind::Execute>(*choice.otherwise), nullptr);
  EXPECT_EQ(std::get<kind::Switch>(nodeOf(Switch(control))->kind).otherwise, nullptr);
  EXPECT_THROW(s.add(3, Sequence()), control_program_error);
}

const struct BadProgram {
  const char *name;
  std::function<void(Graph &, const Tensor &floats, const Tensor &ints)> make;
  const char *message;
} kBadPrograms[] = {
    {"CopyOfAnotherType", [](Graph &, const Tensor &f, const Tensor &i) { Copy(f, i); },
     "type float"},
    {"CopyOfAnotherSize", [](Graph &, const Tensor &f, const Tensor &) { Copy(f, f.slice(0, 2)); },
     "{2}"},
    {"CopyAcrossGraphs",
     [](Graph &, const Tensor &f, const Tensor &) {
       Graph other(test::ipuTarget());
       Copy(f, other.addVariable(FLOAT, {4}));
     },
     "different graphs"},
    {"StreamTheOtherWay",
     [](Graph &g, const Tensor &f, const Tensor &) {
       Copy(f, g.addHostToDeviceFIFO("s", FLOAT, 4));
     },
     "'s' has the opposite direction"},
    {"StreamOfAnotherSize",
     [](Graph &g, const Tensor &f, const Tensor &) {
       Copy(f, g.addDeviceToHostFIFO("s", FLOAT, 5));
     },
     "5 elements"},
    {"StreamOfAnotherType",
     [](Graph &g, const Tensor &f, const Tensor &) { Copy(f, g.addDeviceToHostFIFO("s", INT, 4)); },
     "type int"},
    {"RowsWithoutOffsets",
     [](Graph &g, const Tensor &f, const Tensor &) {
       Copy(f, g.addRemoteBuffer("r", FLOAT, 4, 3));
     },
     "3 rows"},
    {"RowsOfAnotherNumber",
     [](Graph &g, const Tensor &f, const Tensor &i) {
       Copy(f, g.addRemoteBuffer("r", FLOAT, 4, 3), i.slice(0, 2));
     },
     "2 row(s) of 4"},
    {"FloatOffsets",
     [](Graph &g, const Tensor &f, const Tensor &) {
       Copy(f, g.addRemoteBuffer("r", FLOAT, 4, 3), f.slice(0, 1));
     },
     "UNSIGNED_INT"},
    {"FloatPredicate",
     [](Graph &, const Tensor &f, const Tensor &) { If(f[0], Sequence(), Sequence()); }, "float"},
    {"LongPredicate",
     [](Graph &, const Tensor &, const Tensor &i) {
       RepeatWhileTrue(Sequence(), i, Sequence(), "loop");
     },
     "RepeatWhileTrue 'loop'"},
    {"SameCaseTwice",
     [](Graph &, const Tensor &, const Tensor &i) {
       Switch(i[0], {{1, Sequence()}, {1, Sequence()}});
     },
     "value 1"},
    {"NobodysFunction", [](Graph &, const Tensor &, const Tensor &) { Call{Function()}; },
     "addFunction"},
    {"IntResult",
     [](Graph &g, const Tensor &, const Tensor &i) { Execute(g.addComputeSet(), i[0]); },
     "one bool"},
    {"CrossReplicaWithoutReplicas",
     [](Graph &, const Tensor &f, const Tensor &) {
       CrossReplicaCopy(f, f, {{0, 1}, {1, 0}});
     },
     "not replicated"},
};
class ProgramMisuse : public ProgramTest, public ::testing::WithParamInterface<BadProgram> {};
TEST_P(ProgramMisuse, NamesTheMistake) {
  try {
    GetParam().make(graph, a, ints);
    FAIL() << "nothing was thrown";
  } catch (const control_program_error &e) {
    EXPECT_THAT(e.what(), HasSubstr(GetParam().message));
  }
}
INSTANTIATE_TEST_SUITE_P(Api, ProgramMisuse, ::testing::ValuesIn(kBadPrograms),
                         [](const auto &p) { return p.param.name; });

// Every replica sends once and receives once.  Source: guide, 2.5.2.
TEST(CrossReplica, TheMapIsAPermutationWithoutFixedPoints) {
  using Map = std::map<unsigned, unsigned>;
  Graph graph(test::ipuTarget(3), replication_factor(3));
  const Tensor t = graph.addVariable(FLOAT, {4}), u = graph.addVariable(FLOAT, {4});
  EXPECT_NO_THROW(CrossReplicaCopy(t, u, {{0, 1}, {1, 2}, {2, 0}}));
  for (const Map &map :
       {Map{{0, 1}, {1, 0}}, Map{{0, 1}, {1, 0}, {2, 2}}, Map{{0, 1}, {1, 2}, {2, 1}},
        Map{{0, 1}, {1, 2}, {2, 3}}, Map{}, Map{{0, 1}, {1, 2}, {2, 0}, {3, 0}}}) {
    EXPECT_THROW(CrossReplicaCopy(t, u, map), control_program_error);
  }
}

TEST_F(ProgramTest, DumpNamesTheKindsOfPrograms) {
  EXPECT_THAT(dump(Copy(a, b)), HasSubstr("Copy"));
  EXPECT_THAT(dump(Copy(a, b)), Not(HasSubstr("Execute")));
  EXPECT_THAT(dump(Sequence(Execute(cs), Repeat(2, Copy(a, b)))), HasSubstr("Execute"));
  EXPECT_THAT(dump(Sequence()), Not(::testing::AnyOf(HasSubstr("Copy"), HasSubstr("Execute"))));
  for (const Program &program : programIdioms(graph)) {
    EXPECT_THAT(dump(program), HasSubstr("kind"));
  }
}

TEST_F(ProgramTest, EmptyProgramsAreKnownAsSuch) {
  EXPECT_TRUE(Program().isEmpty());
  EXPECT_TRUE(Sequence().isEmpty());
  EXPECT_FALSE(Sequence(Execute(cs)).isEmpty());
  EXPECT_NE(nodeOf(Program()), nullptr);
}

} // namespace
} // namespace copse::graph
