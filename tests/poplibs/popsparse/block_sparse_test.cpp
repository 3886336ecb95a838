#include "operation_run.hpp"

#include <popsparse/experimental/BlockSparseMatMul.hpp>
#include <poputil/exceptions.hpp>

namespace copse::test {
namespace {

using namespace popsparse::experimental;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using Mask = std::vector<unsigned char>;

constexpr int kProductRows = 16, kProductInner = 24, kProductColumns = 32; // in blocks of 8

struct Matrices {
  std::size_t groups;
  Values a, b; ///< {groups, M, K}, {groups, K, N}, whole numbers

  explicit Matrices(std::size_t g)
      : groups(g), a(randomValues(g * kProductRows * kProductInner, -3, 3, 1, true)),
        b(randomValues(g * kProductInner * kProductColumns, -3, 3, 2, true)) {}
  double at(std::size_t g, std::size_t i, std::size_t j) const {
    double sum = 0;
    for (std::size_t k = 0; k != kProductInner; ++k)
      sum += a[(g * kProductRows + i) * kProductInner + k] *
             b[(g * kProductInner + k) * kProductColumns + j];
    return sum;
  }
};

Mask mask(std::size_t blocks, unsigned seed) {
  std::mt19937 random(seed);
  Mask m(blocks);
  for (unsigned char &isThere : m)
    isThere = random() % 2;
  return m;
}

/// Calls \p use(group, row, column) for the elements of the blocks that are there, in their order.
template <typename Use>
void forEachElement(const Mask &m, std::size_t rows, std::size_t columns, Use use) {
  const std::size_t perRow = columns / 8, perGroup = rows / 8 * perRow;
  for (std::size_t b = 0; b != m.size(); ++b)
    if (m[b] != 0)
      for (std::size_t i = 0; i != 64; ++i)
        use(b / perGroup, b % perGroup / perRow * 8 + i / 8, b % perRow * 8 + i % 8);
}

TEST(BlockSparseMatMul, ADenseTimesASparseMatrixIsDense) {
  for (const bool transposed : {false, true})
    for (const std::size_t groups : {1u, 2u}) {
      OperationRun run(Machine::Model);
      Matrices m(groups);
      const std::size_t rows = transposed ? kProductColumns : kProductInner,
                        columns = transposed ? kProductInner : kProductColumns;
      const Mask pattern = mask(groups * 12, 3);
      Values sparse, kept(m.b.size());
      forEachElement(pattern, rows, columns, [&](std::size_t g, std::size_t i, std::size_t j) {
        const std::size_t at =
            (g * kProductInner + (transposed ? j : i)) * kProductColumns + (transposed ? i : j);
        sparse.push_back(m.b[at]);
        kept[at] = m.b[at];
      });
      m.b = kept;
      const BSMatMulParams params({kProductRows, kProductInner, kProductColumns}, {8, 8, 8},
                                  pattern, transposed, HALF, FLOAT, FLOAT,
                                  static_cast<unsigned>(groups));
      const Tensor lhs = createBSMatMulInputLHS(run.graph, params, "lhs"),
                   rhs = createBSMatMulInputRHS(run.graph, params, "rhs");
      run.initialise(lhs, m.a);
      run.initialise(rhs, sparse);
      const Tensor out = bsMatMul(run.graph, params, run.prog, lhs, rhs);
      EXPECT_EQ(out.shape(), (Shape{groups * kProductRows, kProductColumns}));
      run.output("out", out);
      run.run();
      Values expected;
      for (std::size_t i = 0; i != groups * kProductRows * kProductColumns; ++i)
        expected.push_back(m.at(i / (kProductRows * kProductColumns),
                                i / kProductColumns % kProductRows, i % kProductColumns));
      EXPECT_EQ(run.read("out"), expected) << transposed << groups;
    }
}

TEST(BlockSparseMatMul, ComputesSomeBlocksOfADenseProduct) {
  for (const SubBlockMask sub :
       {SubBlockMask::None, SubBlockMask::ZeroUpperTriangle, SubBlockMask::ZeroLowerTriangle}) {
    OperationRun run(Machine::Ipu);
    const Matrices m(1);
    const Mask pattern = {1, 1, 0, 1, 0, 1, 1, 0};
    const BSMatMulParams params({kProductRows, kProductInner, kProductColumns}, {8, 8, 8}, pattern,
                                FLOAT, HALF, FLOAT, sub);
    const Tensor out =
        bsMatMul(run.graph, params, run.prog, run.input(FLOAT, {kProductRows, kProductInner}, m.a),
                 run.input(FLOAT, {kProductInner, kProductColumns}, m.b));
    EXPECT_EQ(out.shape(), (Shape{5, 64}));
    run.output("out", out);
    run.run();
    Values expected;
    forEachElement(pattern, kProductRows, kProductColumns,
                   [&](std::size_t g, std::size_t i, std::size_t j) {
                     const bool zero = sub == SubBlockMask::ZeroUpperTriangle   ? i < j
                                       : sub == SubBlockMask::ZeroLowerTriangle ? i > j
                                                                                : false;
                     expected.push_back(zero ? 0 : m.at(g, i, j));
                   });
    EXPECT_EQ(run.read("out"), expected) << static_cast<int>(sub);
  }
}

TEST(BlockSparseMatMul, WrongArgumentsAreErrors) {
  using poputil::poplibs_error;
  EXPECT_THROW(BSMatMulParams({kProductRows, kProductInner, 33}, {8, 8, 8}, Mask(12), false, FLOAT,
                              FLOAT, FLOAT),
               poplibs_error);
  EXPECT_THROW(BSMatMulParams({kProductRows, kProductInner, kProductColumns}, {8, 8, 8}, Mask(11),
                              false, FLOAT, FLOAT, FLOAT),
               poplibs_error);
  EXPECT_THROW(BSMatMulParams({kProductRows, kProductInner, kProductColumns}, {8, 0, 8}, Mask(12),
                              false, FLOAT, FLOAT, FLOAT),
               poplibs_error);
  OperationRun run(Machine::Model);
  const BSMatMulParams params({kProductRows, kProductInner, kProductColumns}, {8, 8, 8},
                              Mask(12, 1), false, FLOAT, FLOAT, FLOAT);
  EXPECT_THROW(createBSMatMulInputLHS(run.graph, params, "lhs", {{"passes", "1"}}),
               poplar::invalid_option);
  EXPECT_THROW(bsMatMul(run.graph, params, run.prog,
                        run.variable(FLOAT, {kProductRows, kProductInner}),
                        run.variable(FLOAT, {kProductInner, kProductColumns})),
               poplibs_error);
}

} // namespace
} // namespace copse::test
