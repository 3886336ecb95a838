// Compares sparse matrices with dense ones in double.
#include "operation_run.hpp"

#include <popsparse/Embedding.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMul.hpp>
#include <popsparse/SparsePartitioner.hpp>
#include <poputil/exceptions.hpp>

namespace copse::test {
namespace {

using namespace popsparse::dynamic;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using popsparse::COOMatrix;
using popsparse::CSCMatrix;
using popsparse::CSRMatrix;
using Block = std::array<std::size_t, 2>;

SparsityParams sparsity(const Block &block) {
  return SparsityParams(SparsityType::Element, SparsityStructure::Unstructured, block);
}

/// A matrix of whole numbers, some of whose blocks are not zero: more in later rows.
struct Pattern {
  Pattern(std::size_t r, std::size_t c, const Block &b, unsigned seed)
      : rows(r), columns(c), block(b), dense(r * c), csr(b) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < rows; i += block[0]) {
      csr.rowIndices.push_back(csr.nzValues.size());
      for (std::size_t j = 0; j < columns; j += block[1]) {
        if (random() % rows > i / 2)
          continue;
        csr.columnIndices.push_back(j);
        for (std::size_t k = 0; k != block[0] * block[1]; ++k) {
          const double value = 1 + random() % 9;
          csr.nzValues.push_back(value);
          dense[(i + k / block[1]) * columns + j + k % block[1]] = value;
        }
      }
    }
    csr.rowIndices.push_back(csr.nzValues.size());
  }
  std::size_t rows, columns;
  Block block;
  Values dense;
  CSRMatrix<double> csr;
};

/// Returns the product of {rows, inner} and {inner, columns}.
Values product(const Values &a, const Values &b, std::size_t rows, std::size_t inner,
               std::size_t columns) {
  Values c(rows * columns);
  for (std::size_t i = 0; i != rows; ++i)
    for (std::size_t k = 0; k != inner; ++k)
      for (std::size_t j = 0; j != columns; ++j)
        c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
  return c;
}
Values transposed(const Values &a, std::size_t rows, std::size_t columns) {
  Values t(a.size());
  for (std::size_t i = 0; i != a.size(); ++i)
    t[i % columns * rows + i / columns] = a[i];
  return t;
}

/// Sets the host's numbers of a sparse tensor.
void initialise(OperationRun &run, const Tensor &meta, const Tensor &values,
                const SparsityDataImpl<double> &data) {
  ASSERT_EQ(meta.numElements(), data.metaInfo.size());
  ASSERT_EQ(values.numElements(), data.nzValues.size());
  const std::vector<unsigned short> numbers(data.metaInfo.begin(), data.metaInfo.end());
  run.graph.setInitialValue(meta, poplar::ArrayRef<unsigned short>(numbers));
  run.initialise(values, data.nzValues);
}

TEST(SparsePartitioner, DecodesItsEncoding) {
  const poplar::Target target = poplar::Target::createIPUTarget(1, 64, "ipu2");
  for (const Block &block : {Block{1, 1}, Block{2, 4}}) {
    const Pattern p(64, 128, block, 4);
    const Partitioner<double> partitioner(
        FullyConnectedParams::createWithNumNonZeroValues(sparsity(block), p.csr.nzValues.size(), 2,
                                                         1, 128, 64),
        FLOAT, target, {});
    const auto data = partitioner.createSparsityDataImpl(p.csr);
    const auto buckets = partitioner.getmetaInfoBucketElements();
    EXPECT_GT(buckets.size(), 1u);
    const CSRMatrix<double> csr = partitioner.sparsityDataImplToCSRMatrix(data);
    EXPECT_EQ(csr.nzValues, p.csr.nzValues);
    EXPECT_EQ(csr.rowIndices, p.csr.rowIndices);
    EXPECT_EQ(csr.columnIndices, p.csr.columnIndices);
    const COOMatrix<double> coo = partitioner.sparsityDataImplToCOOMatrix(data);
    const CSCMatrix<double> csc = partitioner.sparsityDataImplToCSCMatrix(data);
    EXPECT_EQ(coo.columnIndices, p.csr.columnIndices);
    EXPECT_NE(csc.nzValues, p.csr.nzValues);
    EXPECT_EQ(partitioner.createSparsityDataImpl(coo).metaInfo, data.metaInfo);
    EXPECT_EQ(partitioner.createSparsityDataImpl(csc).metaInfo, data.metaInfo);
    EXPECT_EQ(partitioner.createSparsityDataImpl(csc).nzValues, data.nzValues);
  }
}

TEST(SparsePartitioner, CountsElementsOfBlocks) {
  // A matrix of 4 x 4 in blocks of 2 x 2.
  Values values(12);
  for (std::size_t i = 0; i != 12; ++i)
    values[i] = static_cast<double>(i);
  const Block block = {2, 2};
  const Partitioner<double> partitioner(
      MatMulParams::createWithNumNonZeroValues(sparsity(block), 12, 1, 4, 4, 2), FLOAT,
      poplar::Target::createIPUTarget(1, 4, "ipu2"), {});
  const auto data =
      partitioner.createSparsityDataImpl(CSRMatrix<double>(values, {0, 0, 2}, {0, 4, 12}, block));
  const auto coo = partitioner.sparsityDataImplToCOOMatrix(data);
  EXPECT_EQ(coo.rowIndices, (std::vector<std::size_t>{0, 2, 2}));
  EXPECT_EQ(coo.columnIndices, (std::vector<std::size_t>{0, 0, 2}));
  EXPECT_EQ(coo.nzValues, values);
}

TEST(SparsePartitioner, NamesTheMismatch) {
  const poplar::Target target = poplar::Target::createIPUTarget(1, 4, "ipu2");
  const auto message = [](const auto &call) {
    try {
      call();
    } catch (const poputil::poplibs_error &e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const Partitioner<float> few(MatMulParams::createWithNumNonZeroValues({}, 2, 1, 4, 4, 2), FLOAT,
                               target, {});
  using ::testing::HasSubstr;
  using Matrix = COOMatrix<float>;
  EXPECT_THAT(message([&] {
                few.createSparsityDataImpl(Matrix({1, 2, 3}, {0, 1, 2}, {0, 0, 0}));
              }),
              HasSubstr("Overflow in buckets"));
  EXPECT_THAT(message([&] { few.createSparsityDataImpl(Matrix({1}, {4}, {0})); }),
              HasSubstr("no block at row 0 and column 4"));
  EXPECT_THAT(message([&] {
                few.createSparsityDataImpl(Matrix({1, 2}, {1, 1}, {0, 0}));
              }),
              HasSubstr("is there twice"));
  EXPECT_THAT(message([&] {
                few.createSparsityDataImpl(Matrix({1, 2, 3, 4}, {0}, {0}, {{2, 2}}));
              }),
              HasSubstr("the parameters say 1 x 1"));
  EXPECT_THAT(message([&] { MatMulParams::createWithNzRatio({}, 1.5, 1, 4, 4, 2); }),
              HasSubstr("from 0 to 1"));
  EXPECT_THAT(message([&] {
                MatMulParams::createWithNzRatio(sparsity({3, 1}), 0.5, 1, 4, 4, 2);
              }),
              HasSubstr("not of whole blocks"));
}

struct SparseCase {
  const char *name;
  Machine machine;
  poplar::Type type;
  Block block;
};
class SparseTest : public ::testing::TestWithParam<SparseCase> {};

TEST_P(SparseTest, LayersMatchTheDenseMatrix) {
  const SparseCase &c = GetParam();
  constexpr std::size_t kIn = 24, kOut = 16, kBatch = 3;
  OperationRun run(c.machine);
  const Pattern p(kOut, kIn, c.block, 5);
  const auto params = FullyConnectedParams::createWithNumNonZeroValues(
      sparsity(c.block), p.csr.nzValues.size() + 16, kBatch, 1, kIn, kOut);
  const poplar::OptionFlags options = {{"doGradAPass", "true"}, {"doGradWPass", "true"}};
  const SparseTensor w = createFullyConnectedWeights(run.graph, c.type, params, "weights", options);
  const Partitioner<double> partitioner(params, c.type, run.graph.getTarget(), options);
  initialise(run, w.getMetaInfoTensor(), w.getNzValuesTensor(),
             partitioner.createSparsityDataImpl(p.csr));
  const Values x = randomValues(kBatch * kIn, -4, 4, 1, true),
               g = randomValues(kBatch * kOut, -4, 4, 2, true);
  const Tensor acts = createFullyConnectedInput(run.graph, c.type, params, "x", options);
  run.initialise(acts, x);
  const Tensor grads = run.input(c.type, {kBatch, kOut}, g);
  run.output("forward", fullyConnectedFwd(run.graph, w, acts, params, run.prog, {}, options));
  run.output("gradA", fullyConnectedGradA(run.graph, w, grads, params, run.prog, {}, options));
  const Tensor gradW = fullyConnectedSparseGradW(run.graph, w.getMetaInfoTensor(), grads, acts,
                                                 params, run.prog, {}, options);
  EXPECT_EQ(gradW.shape(), w.getNzValuesTensor().shape());
  run.output("gradW", gradW);
  run.run();
  EXPECT_EQ(run.read("forward"), product(x, transposed(p.dense, kOut, kIn), kBatch, kIn, kOut));
  EXPECT_EQ(run.read("gradA"), product(g, p.dense, kBatch, kOut, kIn));
  SparsityDataImpl<double> data = partitioner.createSparsityDataImpl(p.csr);
  data.nzValues = run.read("gradW");
  const auto gradient = partitioner.sparsityDataImplToCOOMatrix(data);
  const Values dense = product(transposed(g, kBatch, kOut), x, kOut, kBatch, kIn);
  Values expected;
  for (std::size_t b = 0; b != gradient.rowIndices.size(); ++b)
    for (std::size_t k = 0; k != c.block[0] * c.block[1]; ++k)
      expected.push_back(dense[(gradient.rowIndices[b] + k / c.block[1]) * kIn +
                               gradient.columnIndices[b] + k % c.block[1]]);
  EXPECT_EQ(gradient.nzValues, expected);
}

TEST_P(SparseTest, ProductsMayBeTransposed) {
  const SparseCase &c = GetParam();
  constexpr std::size_t kM = 16, kK = 24, kN = 5;
  OperationRun run(c.machine);
  const Pattern p(kM, kK, c.block, 6);
  const auto params = MatMulParams::createWithNzRatio(
      sparsity(c.block), static_cast<double>(p.csr.nzValues.size()) / (kM * kK), 1, kM, kK, kN);
  const SparseTensor lhs = createSparseDenseMatMulLHS(run.graph, c.type, params);
  initialise(
      run, lhs.getMetaInfoTensor(), lhs.getNzValuesTensor(),
      Partitioner<double>(params, c.type, run.graph.getTarget(), {}).createSparsityDataImpl(p.csr));
  const Values x = randomValues(kK * kN, -4, 4, 1, true), y = randomValues(kM * kN, -4, 4, 2, true);
  const Tensor rhs = createSparseDenseMatMulRHS(run.graph, c.type, params);
  run.initialise(rhs, x);
  const Tensor other = run.input(c.type, {1, kN, kM}, transposed(y, kM, kN));
  const Tensor plain = sparseDenseMatMul(run.graph, lhs, rhs, run.prog);
  EXPECT_EQ(plain.shape(), (Shape{1, kM, kN}));
  run.output("plain", plain);
  run.output("both", sparseDenseMatMul(run.graph, lhs, other, run.prog, true, true));
  run.run();
  EXPECT_EQ(run.read("plain"), product(p.dense, x, kM, kK, kN));
  EXPECT_EQ(run.read("both"), product(transposed(p.dense, kM, kK), y, kK, kM, kN));
  EXPECT_THROW(fullyConnectedFwd(run.graph, lhs, rhs[0],
                                 FullyConnectedParams::createWithNzRatio({}, 1, kN, 1, kK, kM),
                                 run.prog),
               poputil::poplibs_error);
}

TEST_P(SparseTest, RowsAreLookedUpAndUpdated) {
  const SparseCase &c = GetParam();
  constexpr std::size_t kRows = 16, kColumns = 24;
  OperationRun run(c.machine);
  const Pattern p(kRows, kColumns, c.block, 7);
  const auto params = FullyConnectedParams::createWithNumNonZeroValues(
      sparsity(c.block), p.csr.nzValues.size(), 1, 1, kColumns, kRows);
  const SparseTensor table = createFullyConnectedWeights(run.graph, c.type, params);
  initialise(
      run, table.getMetaInfoTensor(), table.getNzValuesTensor(),
      Partitioner<double>(params, c.type, run.graph.getTarget(), {}).createSparsityDataImpl(p.csr));
  const std::vector<unsigned> rows = {15, 3, 3, 99};
  const Tensor indices = createIndicesTensor(run.graph, params, rows.size());
  run.initialise(indices, Values(rows.begin(), rows.end()));
  const Values news = randomValues(rows.size() * kColumns, -4, 4, 3, true);
  const Tensor slices = createSliceTensor(run.graph, c.type, params, rows.size());
  run.initialise(slices, news);
  run.output("before", embeddingSlice(run.graph, table, indices, run.prog, params));
  embeddingUpdateAdd(run.graph, table, slices, indices, run.input(c.type, {}, {2}), run.prog,
                     params);
  run.output("after", embeddingSlice(run.graph, table, indices, run.prog, params));
  run.run();
  Values updated = p.dense, before, after;
  for (std::size_t l = 0; l != 3; ++l)
    for (std::size_t j = 0; j != kColumns; ++j)
      if (p.dense[rows[l] * kColumns + j] != 0)
        updated[rows[l] * kColumns + j] += 2 * news[l * kColumns + j];
  for (const unsigned row : rows)
    for (std::size_t j = 0; j != kColumns; ++j) {
      before.push_back(row < kRows ? p.dense[row * kColumns + j] : 0);
      after.push_back(row < kRows ? updated[row * kColumns + j] : 0);
    }
  EXPECT_EQ(run.read("before"), before);
  EXPECT_EQ(run.read("after"), after);
}

TEST_P(SparseTest, PatternsMayBeConstants) {
  const SparseCase &c = GetParam();
  constexpr std::size_t kM = 16, kK = 24, kN = 5;
  namespace ps = popsparse::static_;
  OperationRun run(c.machine);
  const Pattern p(kM, kK, c.block, 8);
  const Values x = randomValues(kK * kN, -4, 4, 1, true), y = randomValues(kN * kM, -4, 4, 2, true);
  const auto left = ps::MatMulParams::createForSparseDense(1, kM, kK, kN);
  const ps::SparseTensor lhs = ps::createSparseDenseMatMulLHS(run.graph, c.type, left, p.csr);
  run.initialise(lhs.getNzValuesTensor(),
                 ps::Partitioner<double>(left, c.type, run.graph.getTarget(), {})
                     .createSparsityDataImpl(p.csr));
  const Tensor rhs = ps::createSparseDenseMatMulRHS(run.graph, c.type, left);
  run.initialise(rhs, x);
  run.output("left", ps::sparseDenseMatMul(run.graph, lhs, rhs, run.prog));
  // Puts that matrix on the right of {kN, kM}.
  const auto right = ps::MatMulParams::createForDenseSparse(1, kN, kM, kK);
  const ps::SparseTensor w = ps::createDenseSparseMatMulRHS(run.graph, c.type, right, p.csr);
  run.initialise(w.getNzValuesTensor(),
                 ps::Partitioner<double>(right, c.type, run.graph.getTarget(), {})
                     .createSparsityDataImpl(p.csr));
  const Tensor dense = ps::createDenseSparseMatMulLHS(run.graph, c.type, right);
  run.initialise(dense, y);
  run.output("right", ps::denseSparseMatMul(run.graph, dense, w, run.prog));
  run.output("transposed", ps::denseSparseMatMul(run.graph, rhs, w, run.prog, true, true));
  run.run();
  EXPECT_EQ(run.read("left"), product(p.dense, x, kM, kK, kN));
  EXPECT_EQ(run.read("right"), product(y, p.dense, kN, kM, kK));
  EXPECT_EQ(run.read("transposed"),
            product(transposed(x, kK, kN), transposed(p.dense, kM, kK), kN, kK, kM));
  EXPECT_THROW(ps::sparseDenseMatMul(run.graph, w, rhs, run.prog), poputil::poplibs_error);
}

INSTANTIATE_TEST_SUITE_P(Matrices, SparseTest,
                         ::testing::Values(SparseCase{"elements", Machine::Model, FLOAT, {1, 1}},
                                           SparseCase{"blocks", Machine::TwoIpuModel, HALF, {4, 8}},
                                           SparseCase{"cpu", Machine::Cpu, FLOAT, {2, 4}},
                                           SparseCase{"ipu", Machine::Ipu, HALF, {1, 1}}),
                         [](const auto &p) { return p.param.name; });

} // namespace
} // namespace copse::test
