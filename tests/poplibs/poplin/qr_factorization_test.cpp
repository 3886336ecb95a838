#include "operation_run.hpp"

#include <poplin/experimental/QRFactorization.hpp>
#include <poputil/exceptions.hpp>

namespace {

using namespace copse::test;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

Values identity(std::size_t n) {
  Values values(n * n);
  for (std::size_t i = 0; i != n; ++i)
    values[i * n + i] = 1;
  return values;
}

/// Returns the product of \p a [m, k] and \p b [k, n].
Values product(const Values &a, const Values &b, std::size_t m, std::size_t k, std::size_t n) {
  Values c(m * n);
  for (std::size_t i = 0; i != m; ++i)
    for (std::size_t l = 0; l != k; ++l)
      for (std::size_t j = 0; j != n; ++j)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}

Values transposed(const Values &a, std::size_t n) {
  Values b(n * n);
  for (std::size_t i = 0; i != n; ++i)
    for (std::size_t j = 0; j != n; ++j)
      b[j * n + i] = a[i * n + j];
  return b;
}

/// Factors \p a, and expects that Q R is \p a, Q is orthogonal and R is upper triangular.
void factor(Machine machine, const poplar::Type &type, const Values &a, std::size_t m,
            std::size_t n, double tolerance) {
  OperationRun run(machine);
  auto [A, Q] = poplin::experimental::createQRFactorizationMatrices(run.graph, type, m, n, "qr");
  run.initialise(A, a);
  run.initialise(Q, identity(m));
  poplin::experimental::QRFactorization(run.graph, A, Q, run.prog, "qr",
                                        {{"rowsPerIteration", "4"}});
  run.output("r", A);
  run.output("q", Q);
  run.run();
  const Values r = run.read("r"), q = run.read("q");
  EXPECT_TRUE(areClose(product(q, r, m, m, n), a, tolerance, tolerance)) << machineName(machine);
  EXPECT_TRUE(areClose(product(transposed(q, m), q, m, m, m), identity(m), tolerance, tolerance));
  for (std::size_t i = 0; i != m; ++i)
    for (std::size_t j = 0; j != std::min(i, n); ++j)
      EXPECT_EQ(r[i * n + j], 0) << i << " " << j;
}

TEST(QRFactorization, GivesAnOrthogonalAndATriangularMatrix) {
  for (const Machine machine : {Machine::Cpu, Machine::Model, Machine::Ipu})
    factor(machine, FLOAT, randomValues(9 * 7, -1, 1, 5), 9, 7, 1e-5);
}

TEST(QRFactorization, AcceptsHalves) {
  std::mt19937 random(3);
  factor(Machine::Model, HALF, randomValues(random, HALF, 5 * 5, -1, 1), 5, 5, 0.01);
}

TEST(QRFactorization, AcceptsColumnsOfZerosAndDependentColumns) {
  factor(Machine::Model, FLOAT, {0, 1, 2, 0, 2, 4, 0, 3, 6, 0, 4, 8}, 4, 3, 1e-5);
}

TEST(QRFactorization, RefusesMoreColumnsThanRows) {
  OperationRun run(Machine::Model);
  Tensor a = run.input(FLOAT, {2, 3}, Values(6)), q = run.input(FLOAT, {2, 2}, Values(4), 2);
  EXPECT_THROW(poplin::experimental::QRFactorization(run.graph, a, q, run.prog),
               poputil::poplibs_error);
}

} // namespace
