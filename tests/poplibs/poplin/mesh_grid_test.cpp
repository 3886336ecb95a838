#include "operation_run.hpp"

#include <poplar/exceptions.hpp>
#include <poplin/MeshGrid.hpp>

namespace copse::test {
namespace {

using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

TEST(MeshGrid, LinspaceIncludesBothEnds) {
  OperationRun run(Machine::Model);
  const auto three = run.output(poplin::linspace(run.graph, FLOAT, -1, 2, 3)),
             one = run.output(poplin::linspace(run.graph, HALF, 5, 7, 1));
  run.run();
  EXPECT_EQ(run.read(three), (Values{-1, 0.5, 2}));
  EXPECT_EQ(run.read(one), Values{5});
  EXPECT_THROW(poplin::linspace(run.graph, poplar::INT, 0, 1, 2), poplar::poplar_error);
}

TEST(MeshGrid, FirstFollowsColumnsAndSecondFollowsRows) {
  OperationRun run(Machine::Model);
  const Tensor x = run.input(FLOAT, {3}, {1, 2, 3}), y = run.input(FLOAT, {2}, {10, 20});
  const std::vector<Tensor> grid = poplin::meshgrid2d(run.graph, x, y);
  ASSERT_EQ(grid.size(), 2U);
  ASSERT_EQ(grid[0].shape(), (Shape{2, 3}));
  ASSERT_EQ(grid[1].shape(), (Shape{2, 3}));
  const auto first = run.output(grid[0]), second = run.output(grid[1]);
  run.run();
  EXPECT_EQ(run.read(first), (Values{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(run.read(second), (Values{10, 10, 10, 20, 20, 20}));
  EXPECT_THROW(poplin::meshgrid2d(run.graph, x, grid[0]), poplar::poplar_error);
}

} // namespace
} // namespace copse::test
