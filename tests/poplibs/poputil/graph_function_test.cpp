#include "operation_run.hpp"

#include <poputil/GraphFunction.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

namespace {

using namespace copse::test;
using namespace poputil::graphfn;
using poplar::FLOAT;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;
using Shape = std::vector<std::size_t>;

TEST(GraphFunctionTest, EachCallHasItsOwnTensors) {
  for (const bool inlined : {false, true}) {
    OperationRun run(Machine::Model);
    const Tensor a = run.input(FLOAT, {2}, {1, 2}, 1), b = run.input(FLOAT, {2}, {3, 4}, 2);
    const Tensor c = run.input(FLOAT, {2}, {0, 0}, 3), d = run.input(FLOAT, {2}, {0, 0}, 4);
    VoidFunction copy(
        run.graph, {input(a, "from"), output(a, "to")},
        [](std::vector<Tensor> &args, Sequence &prog) { prog.add(Copy(args[0], args[1])); },
        inlined);
    std::vector<Tensor> first = {a, c}, second = {b, d};
    copy(first, run.prog);
    copy(second, run.prog);
    run.output("c", c);
    run.output("d", d);
    run.run();
    EXPECT_EQ(run.read("c"), (std::vector<double>{1, 2}));
    EXPECT_EQ(run.read("d"), (std::vector<double>{3, 4}));
  }
}
TEST(GraphFunctionTest, AResultIsANewTensorForEachCall) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(FLOAT, {2}, {1, 2}, 1), b = run.input(FLOAT, {2}, {3, 4}, 2);
  TensorFunction reversed(run.graph, {input(a)}, [&](std::vector<Tensor> &args, Sequence &prog) {
    const Tensor out = run.graph.clone(args[0]);
    prog.add(Copy(args[0].reverse(0), out));
    return out;
  });
  std::vector<Tensor> first = {a}, second = {b};
  run.output("a", reversed(first, run.prog));
  run.output("b", reversed(second, run.prog));
  run.run();
  EXPECT_EQ(run.read("a"), (std::vector<double>{2, 1}));
  EXPECT_EQ(run.read("b"), (std::vector<double>{4, 3}));
}
TEST(GraphFunctionTest, AnotherNumberOfArgumentsIsAnError) {
  OperationRun run(Machine::Model);
  const Tensor a = run.input(FLOAT, {2}, {1, 2});
  ProgramFunction nothing(run.graph, {inout(a)}, [](std::vector<Tensor> &) { return Sequence(); });
  std::vector<Tensor> none;
  EXPECT_THROW(nothing(none), poputil::poplibs_error);
}

TEST(VarStructureTest, GroupingsAreFoundInViews) {
  OperationRun run(Machine::Model);
  const Tensor t = run.graph.addVariable(FLOAT, {2, 4, 6});
  run.graph.setTileMapping(t, 0);
  EXPECT_EQ(poputil::detectInnermostGrouping(run.graph, t), 6u);
  EXPECT_EQ(poputil::detectInnermostGrouping(run.graph, t.dimRoll(0, 2)), 1u);
  // [2, 4, 6] as [2, 24] with groups of 6 of the last dimension in memory.
  const Tensor grouped = t.dimShuffle({0, 1, 2}).reshape({2, 24});
  EXPECT_EQ(poputil::detectDimGroupings(run.graph, grouped).front(),
            (poputil::GroupingInfo{1, 24}));
  EXPECT_EQ(poputil::detectDimGroupings(run.graph, t.transpose()),
            (std::vector<poputil::GroupingInfo>{{0, 6}, {1, 4}, {2, 2}}));
}
TEST(VarStructureTest, PartsAreContiguous) {
  OperationRun run(Machine::Model);
  const Tensor t = poputil::createPartitionableTensor(run.graph, FLOAT, {5, 4}, {2, 2});
  EXPECT_EQ(t.shape(), Shape({5, 4}));
  unsigned parts = 0;
  poputil::iterateTensorPartitions(t, {2, 2}, [&](const Shape &i, const Tensor &part) {
    EXPECT_TRUE(part.isContiguous());
    EXPECT_EQ(part.dim(0), i[0] == 0 ? 3u : 2u);
    ++parts;
  });
  EXPECT_EQ(parts, 4u);
}

TEST(IpuCopyTest, ATensorIsCopiedToTheSameTilesOfAnotherIpu) {
  OperationRun run(Machine::TwoIpuModel);
  const Tensor t = run.graph.addVariable(FLOAT, {6});
  run.graph.setTileMapping(t.slice(0, 2), 1);
  run.graph.setTileMapping(t.slice(2, 6), 3);
  run.initialise(t, {1, 2, 3, 4, 5, 6});
  const Tensor copy = poputil::copyToIpu(run.graph, t, run.prog, 1);
  EXPECT_EQ(run.graph.getTileMapping(copy)[11],
            std::vector<poplar::Interval>{poplar::Interval(2, 6)});
  run.output("copy", copy);
  run.run();
  EXPECT_EQ(run.read("copy"), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(poputil::dimIsSplitOverTiles(run.graph, t, 0));
  EXPECT_FALSE(poputil::dimIsSplitOverIPUs(run.graph, t, 0));
}
TEST(UseTrackerTest, EachElementGoesToOneOfItsUsers) {
  OperationRun run(Machine::Model);
  const Tensor t = run.graph.addVariable(FLOAT, {10});
  poputil::TensorUseTracker uses(8);
  EXPECT_TRUE(uses.empty());
  uses.add(run.graph, 2, t.slice(0, 6));
  uses.add(run.graph, 5, t.slice(4, 8));
  uses.mapTensorsByUse(run.graph, 1, 1, true);
  const auto mapping = run.graph.getTileMapping(t);
  EXPECT_EQ(mapping[2], std::vector<poplar::Interval>{poplar::Interval(0, 5)});
  EXPECT_EQ(mapping[5], std::vector<poplar::Interval>{poplar::Interval(5, 10)});
}
TEST(BroadcastOperandTest, ElementsAreWhereTheirIndexIs) {
  OperationRun run(Machine::Model);
  const Tensor full = run.graph.addVariable(FLOAT, {3, 4});
  for (unsigned c = 0; c != 4; ++c)
    run.graph.setTileMapping(full.slice(c, c + 1, 1), c);
  const Tensor bias = poputil::createBroadcastOperand(run.graph, full, FLOAT, 1);
  for (unsigned c = 0; c != 4; ++c)
    EXPECT_EQ(run.graph.getTileMapping(bias)[c].size(), 1u);
}

} // namespace
