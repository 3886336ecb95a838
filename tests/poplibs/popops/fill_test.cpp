#include "operation_run.hpp"

#include <popops/Fill.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>

namespace {

using namespace copse::test;
using poplar::Tensor;

class FillTest : public ::testing::TestWithParam<Machine> {};

TEST_P(FillTest, EveryElementTypeIsFilled) {
  OperationRun run(GetParam());
  popops::addCodelets(run.graph);
  for (const poplar::Type &type :
       {poplar::FLOAT, poplar::HALF, poplar::INT, poplar::UNSIGNED_INT, poplar::BOOL, poplar::CHAR,
        poplar::SIGNED_CHAR, poplar::UNSIGNED_CHAR, poplar::SHORT, poplar::UNSIGNED_SHORT}) {
    const Tensor t = run.graph.addVariable(type, {3, 7});
    run.scatter(t, 1);
    popops::fill(run.graph, t, run.prog, 1);
    run.output(type.toString().cloneAsString(), t);
  }
  run.run();
  for (const char *type : {"float", "half", "int", "unsigned int", "bool", "char", "signed char",
                           "unsigned char", "short", "unsigned short"})
    EXPECT_EQ(run.read(type), std::vector<double>(21, 1)) << type;
}
TEST_P(FillTest, AValueIsConvertedToTheElementType) {
  OperationRun run(GetParam());
  const Tensor half = run.graph.addVariable(poplar::HALF, {5});
  const Tensor integer = run.graph.addVariable(poplar::INT, {5});
  run.graph.setTileMapping(half, 0);
  run.graph.setTileMapping(integer, 0);
  popops::fill(run.graph, half, run.prog, -2.5f);
  popops::fill(run.graph, integer, run.prog, -7.9f);
  run.output("half", half);
  run.output("int", integer);
  run.run();
  EXPECT_EQ(run.read("half"), std::vector<double>(5, -2.5));
  EXPECT_EQ(run.read("int"), std::vector<double>(5, -7));
}
TEST_P(FillTest, ZeroTouchesNothingBesideAView) {
  OperationRun run(GetParam());
  const Tensor t = run.input(poplar::FLOAT, {4, 4}, std::vector<double>(16, 3));
  popops::zero(run.graph, t.slice(1, 3, 1).transpose(), run.prog);
  run.output("t", t);
  run.run();
  EXPECT_EQ(run.read("t"), (std::vector<double>{3, 0, 0, 3, 3, 0, 0, 3, 3, 0, 0, 3, 3, 0, 0, 3}));
}
TEST_P(FillTest, AComputeSetFillsTheRegionsOfATile) {
  OperationRun run(GetParam());
  const Tensor t = run.graph.addVariable(poplar::INT, {6});
  run.initialise(t, {1, 2, 3, 4, 5, 6});
  run.graph.setTileMapping(t, 0);
  const poplar::ComputeSet cs = run.graph.addComputeSet();
  popops::fill(run.graph, t, {poplar::Interval(0, 1), poplar::Interval(4, 6)}, 0, cs, 9u);
  run.prog.add(poplar::program::Execute(cs));
  run.output("t", t);
  run.run();
  EXPECT_EQ(run.read("t"), (std::vector<double>{9, 2, 3, 4, 9, 9}));
}

INSTANTIATE_TEST_SUITE_P(Machines, FillTest,
                         ::testing::Values(Machine::Cpu, Machine::Model, Machine::Ipu),
                         [](const auto &p) { return machineName(p.param); });

} // namespace
