#include "operation_run.hpp"

#include <poplin/TriangularSolve.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

namespace {

using namespace copse::test;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

/// Equations A X = B or X A = B of \p groups.
struct Equations {
  std::size_t groups, n, k;
  bool leftSide, lower, unitDiagonal;

  std::size_t rows() const { return leftSide ? n : k; }
  std::size_t columns() const { return leftSide ? k : n; }

  double element(const Values &a, std::size_t g, std::size_t i, std::size_t j) const {
    if (i == j && unitDiagonal)
      return 1;
    return (lower ? i >= j : i <= j) ? a[(g * n + i) * n + j] : 0;
  }
  /// Returns the right hand sides for which \p x is the solution.
  Values sides(const Values &a, const Values &x) const {
    Values b(x.size());
    for (std::size_t g = 0; g != groups; ++g)
      for (std::size_t i = 0; i != rows(); ++i)
        for (std::size_t j = 0; j != columns(); ++j)
          for (std::size_t l = 0; l != n; ++l) {
            const auto at = [&](std::size_t row, std::size_t column) {
              return x[(g * rows() + row) * columns() + column];
            };
            b[(g * rows() + i) * columns() + j] +=
                leftSide ? element(a, g, i, l) * at(l, j) : at(i, l) * element(a, g, l, j);
          }
    return b;
  }
};

/// Returns elements from -0.5 to 0.5, on the diagonal from 2 to 3; the other triangle is NaN.
Values matrix(const Equations &e, const poplar::Type &type) {
  std::mt19937 random(3);
  Values a = randomValues(random, type, e.groups * e.n * e.n, -0.5, 0.5);
  for (std::size_t g = 0; g != e.groups; ++g)
    for (std::size_t i = 0; i != e.n; ++i)
      for (std::size_t j = 0; j != e.n; ++j) {
        double &at = a[(g * e.n + i) * e.n + j];
        if (i == j)
          at = rounded(type, at + 2.5);
        else if (e.lower ? i < j : i > j)
          at = std::nan("");
      }
  return a;
}

TEST(TriangularSolve, FindsTheSolution) {
  for (const Machine machine : {Machine::Cpu, Machine::Model, Machine::Ipu})
    for (unsigned bits = 0; bits != 8; ++bits) {
      const Equations e{2, 11, 5, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
      OperationRun run(machine);
      const Values a = matrix(e, FLOAT), x = randomValues(2 * 11 * 5, -1, 1, 8);
      const Tensor result = poplin::triangularSolve(
          run.graph, run.input(FLOAT, {2, 11, 11}, a),
          run.input(FLOAT, {2, e.rows(), e.columns()}, e.sides(a, x), 2), e.leftSide, e.lower,
          e.unitDiagonal, run.prog, {}, {{"blockSize", "4"}, {"partialsType", "float"}});
      EXPECT_EQ(result.shape(), (Shape{2, e.rows(), e.columns()}));
      run.output("x", result);
      run.run();
      EXPECT_TRUE(areClose(run.read("x"), x, 1e-3, 1e-4)) << machineName(machine) << " " << bits;
    }
}

TEST(TriangularSolve, AcceptsHalvesAndMatricesWithoutGroups) {
  const Equations e{1, 6, 3, true, true, false};
  OperationRun run(Machine::Model);
  const Values a = matrix(e, HALF),
               x = {1, -1, 0.5, 2, 0, 1, 1, 1, 1, 0.25, 3, -2, 1, 0, 1, 1, 2, 3};
  const Tensor left = poplin::createTriangularSolveInputLHS(run.graph, HALF, HALF, {6, 6}, {6, 3},
                                                            true, "a"),
               right = poplin::createTriangularSolveInputRHS(run.graph, HALF, HALF, {6, 6}, {6, 3},
                                                             true, "b");
  run.initialise(left, a);
  run.initialise(right, e.sides(a, x));
  run.output("x", poplin::triangularSolve(run.graph, left, right, true, true, false, run.prog));
  run.run();
  EXPECT_TRUE(areClose(run.read("x"), x, 0.01, 0.01));
}

TEST(TriangularMask, KeepsOneTriangle) {
  for (unsigned bits = 0; bits != 4; ++bits) {
    const Equations e{2, 5, 1, true, (bits & 1) != 0, (bits & 2) != 0};
    for (const poplar::Type &type : {FLOAT, HALF}) {
      OperationRun run(Machine::Model);
      const Values a = matrix(e, type);
      run.output("mask", poplin::triangularMask(run.graph, run.input(type, {2, 5, 5}, a), e.lower,
                                                e.unitDiagonal, run.prog));
      run.run();
      Values expected;
      for (std::size_t i = 0; i != a.size(); ++i)
        expected.push_back(e.element(a, i / 25, i / 5 % 5, i % 5));
      EXPECT_EQ(run.read("mask"), expected);
    }
  }
}

TEST(TriangularErrors, NameTheReason) {
  OperationRun run(Machine::Model);
  const Tensor a = run.variable(FLOAT, {3, 3}), b = run.variable(FLOAT, {3, 2});
  using poputil::poplibs_error;
  const auto solve = [&](const Tensor &l, const Tensor &r,
                         const poplar::OptionFlags &options = {}) {
    poplin::triangularSolve(run.graph, l, r, true, true, false, run.prog, {}, options);
  };
  EXPECT_THROW(solve(b, b), poplibs_error);
  EXPECT_THROW(solve(a, run.variable(FLOAT, {2, 3})), poplibs_error);
  EXPECT_THROW(solve(a, run.variable(HALF, {3, 2})), poplibs_error);
  EXPECT_THROW(solve(a, b, {{"blockSize", "0"}}), poplibs_error);
  EXPECT_THROW(solve(a, b, {{"blocksize", "4"}}), poplar::invalid_option);
}

} // namespace
