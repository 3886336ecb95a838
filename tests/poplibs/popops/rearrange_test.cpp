#include "operation_run.hpp"

#include <popops/Rearrange.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

namespace {

using namespace copse::test;
using namespace popops::rearrange;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poplar::program::Execute;
using poputil::GroupingInfo;

class RearrangeTest : public ::testing::TestWithParam<Machine> {};

TEST_P(RearrangeTest, ARegroupedTensorHasTheSameValuesInGroups) {
  OperationRun run(GetParam());
  const auto values = randomValues(6 * 8, -99, 99, 1, true);
  const Tensor t = run.input(HALF, {6, 8}, values);
  const poplar::ComputeSet cs = run.graph.addComputeSet("transpose");
  const Tensor regrouped = regroupTensor(run.graph, t, run.prog, cs, {1, 8}, {0, 2});
  run.prog.add(Execute(cs));
  EXPECT_EQ(regrouped.shape(), t.shape());
  EXPECT_EQ(poputil::detectDimGroupings(run.graph, regrouped).front(), GroupingInfo(0, 2));
  run.output("regrouped", regrouped);
  run.run();
  EXPECT_EQ(run.read("regrouped"), values);
}

TEST_P(RearrangeTest, MatricesAreTransposedOneByOne) {
  OperationRun run(GetParam());
  constexpr std::size_t kMatrices = 3, kRows = 5, kColumns = 7;
  const auto values = randomValues(kMatrices * kRows * kColumns, -99, 99, 2, true);
  const poplar::ComputeSet cs = run.graph.addComputeSet("transpose");
  for (const poplar::Type &type : {FLOAT, HALF, poplar::CHAR}) {
    const Tensor t = run.input(type, {kMatrices, kRows, kColumns}, values, 3);
    const Tensor transposed = partialTranspose(run.graph, t, cs);
    EXPECT_EQ(transposed.shape(), Shape({kMatrices, kColumns, kRows}));
    run.output(type.toString().cloneAsString(), transposed);
  }
  run.prog.add(Execute(cs));
  run.run();
  std::vector<double> expected;
  for (std::size_t m = 0; m != kMatrices; ++m)
    for (std::size_t c = 0; c != kColumns; ++c)
      for (std::size_t r = 0; r != kRows; ++r)
        expected.push_back(values[(m * kRows + r) * kColumns + c]);
  EXPECT_EQ(run.read("float"), expected);
  EXPECT_EQ(run.read("half"), expected);
  EXPECT_EQ(run.read("char"), expected);
}

INSTANTIATE_TEST_SUITE_P(Machines, RearrangeTest,
                         ::testing::Values(Machine::Cpu, Machine::Model, Machine::TwoIpuModel,
                                           Machine::Ipu),
                         [](const auto &p) { return machineName(p.param); });

TEST(Rearrange, RegroupsOnlyIfItPaysOff) {
  OperationRun run(Machine::Model);
  const auto onOneTile = [&](std::vector<std::size_t> shape) {
    const Tensor t = run.graph.addVariable(HALF, std::move(shape));
    run.graph.setTileMapping(t, 0);
    return t;
  };
  const Tensor byColumns = onOneTile({4, 8}), byRows = onOneTile({8, 4}).transpose();
  const auto groupsOf = [&](const Tensor &t) {
    return poputil::detectDimGroupings(run.graph, t).front();
  };
  EXPECT_EQ(regroupIfBeneficial(run.graph, byColumns, byColumns, run.prog), byColumns);
  EXPECT_EQ(groupsOf(regroupIfBeneficial(run.graph, byRows, byColumns, run.prog)),
            GroupingInfo(1, 8));
  const Tensor narrow = onOneTile({8, 2}).transpose(); // groups of two halves would gain nothing
  EXPECT_EQ(regroupIfBeneficial(run.graph, onOneTile({2, 8}), narrow, run.prog).dim(0), 2u);
  EXPECT_EQ(regroupIfBeneficial(run.graph, byColumns, 4, run.prog), byColumns);
  EXPECT_EQ(groupsOf(regroupIfBeneficial(run.graph, byRows, 4, run.prog)), GroupingInfo(1, 4));
}

TEST(Rearrange, WrongGroupsAreErrors) {
  OperationRun run(Machine::Model);
  const Tensor t = run.graph.addVariable(FLOAT, {4, 6});
  const poplar::ComputeSet cs = run.graph.addComputeSet("transpose");
  EXPECT_THROW(regroupTensor(run.graph, t, run.prog, cs, {1, 6}, {2, 1}), poputil::poplibs_error);
  EXPECT_THROW(regroupTensor(run.graph, t, run.prog, cs, {1, 6}, {1, 4}), poputil::poplibs_error);
  EXPECT_THROW(partialTranspose(run.graph, t[0], cs), poputil::poplibs_error);
}

} // namespace
