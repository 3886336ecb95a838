// Products with a constant pattern: like those with a dynamic one, but the meta information is a
// constant.
#include "coordinate_blocks.hpp"
#include "dense_operand.hpp"
#include "made_for.hpp"
#include "popsparse/MatMul.hpp"
#include "popsparse/SparsePartitioner.hpp"
#include "sparse_products.hpp"

namespace popsparse {
namespace static_ {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using Shape = std::vector<std::size_t>;

namespace {

/// Returns the sizes of the product with the sparse matrix on the left.
dynamic::MatMulParams dynamicParams(std::size_t rows, std::size_t columns, std::size_t dense,
                                    const std::array<std::size_t, 2> &block, std::size_t values) {
  return dynamic::MatMulParams::createWithNumNonZeroValues(
      dynamic::SparsityParams(dynamic::SparsityType::Block,
                              dynamic::SparsityStructure::Unstructured, block),
      values, 1, rows, columns, dense);
}

struct Pattern {
  MatMulParams params;
  dynamic::MatMulParams sparse;
  Tensor meta;
};

std::size_t rowsOf(const MatMulParams &p) { return p.isSparseDense() ? p.getM() : p.getK(); }
std::size_t columnsOf(const MatMulParams &p) { return p.isSparseDense() ? p.getK() : p.getN(); }
std::size_t denseOf(const MatMulParams &p) { return p.isSparseDense() ? p.getN() : p.getM(); }

template <typename T>
SparseTensor create(const char *function, bool sparseDense, Graph &graph, const Type &type,
                    const MatMulParams &params, const CSRMatrix<T> &matrix,
                    const OptionFlags &options, const DebugContext &debugContext) {
  if (params.isSparseDense() != sparseDense)
    throw poputil::poplibs_error(std::string(function) +
                                 ": the parameters are those of the other product");
  const auto sparse = dynamicParams(rowsOf(params), columnsOf(params), denseOf(params),
                                    matrix.getBlockDimensions(), matrix.nzValues.size());
  const auto data = dynamic::Partitioner<T>(sparse, type, graph.getTarget(), options)
                        .createSparsityDataImpl(matrix);
  dynamic::SparseProducts products(graph, dynamic::planOf(sparse, type, graph.getTarget()),
                                   debugContext);
  const std::vector<unsigned short> numbers(data.metaInfo.begin(), data.metaInfo.end());
  const Tensor meta = graph.addConstant<unsigned short>(poplar::UNSIGNED_SHORT, {numbers.size()},
                                                        numbers, {debugContext, "pattern"});
  poputil::mapTensorLinearly(graph, meta);
  return SparseTensor(products.createValues(type), madeFor(Pattern{params, sparse, meta}));
}

Tensor product(Graph &graph, const SparseTensor &sparse, const Pattern &pattern,
               const Tensor &dense, bool transposed, Sequence &prog,
               const DebugContext &debugContext) {
  const Type type = sparse.getNzValuesTensor().elementType();
  return dynamic::SparseProducts(graph, dynamic::planOf(pattern.sparse, type, graph.getTarget()),
                                 debugContext)
      .product(pattern.meta, sparse.getNzValuesTensor(), dense, transposed, prog);
}

const Pattern &checked(const char *function, const SparseTensor &sparse, bool sparseDense,
                       const Tensor &dense, std::size_t first, std::size_t second, bool transposed,
                       const OptionFlags &options) {
  dynamic::checkOptions(options);
  const Pattern &pattern = paramsOf<Pattern>(function, sparse);
  if (pattern.params.isSparseDense() != sparseDense)
    throw poputil::poplibs_error(std::string(function) +
                                 ": the sparse tensor was not made for this operation");
  checkDense(function, dense, transposed ? Shape{1, second, first} : Shape{1, first, second},
             sparse.getNzValuesTensor().elementType());
  return pattern;
}

} // namespace

MatMulParams::MatMulParams(std::size_t groups, std::size_t m, std::size_t k, std::size_t n,
                           bool sparseDense)
    : groups_(groups), m_(m), k_(k), n_(n), sparseDense_(sparseDense) {
  if (groups != 1)
    throw poputil::poplibs_error("a sparse matrix of " + std::to_string(groups) +
                                 " groups; there must be one");
}
MatMulParams MatMulParams::createForSparseDense(std::size_t groups, std::size_t m, std::size_t k,
                                                std::size_t n) {
  return MatMulParams(groups, m, k, n, true);
}
MatMulParams MatMulParams::createForDenseSparse(std::size_t groups, std::size_t m, std::size_t k,
                                                std::size_t n) {
  return MatMulParams(groups, m, k, n, false);
}

template <typename T>
Partitioner<T>::Partitioner(const MatMulParams &params, const Type &dataType,
                            const poplar::Target &target, const OptionFlags &options,
                            PlanningCache *, std::string)
    : rows_(rowsOf(params)), columns_(columnsOf(params)), dense_(denseOf(params)), type_(dataType),
      target_(target) {
  dynamic::checkOptions(options);
}
template <typename T>
std::vector<T> Partitioner<T>::createSparsityDataImpl(const CSRMatrix<T> &matrix) const {
  const auto sparse =
      dynamicParams(rows_, columns_, dense_, matrix.getBlockDimensions(), matrix.nzValues.size());
  return dynamic::Partitioner<T>(sparse, type_, target_, {})
      .createSparsityDataImpl(matrix)
      .nzValues;
}
template class Partitioner<float>;
template class Partitioner<double>;

template <typename T>
SparseTensor createSparseDenseMatMulLHS(Graph &graph, const Type &inputType,
                                        const MatMulParams &params, const CSRMatrix<T> &matrix,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options, PlanningCache *) {
  return create("createSparseDenseMatMulLHS", true, graph, inputType, params, matrix, options,
                debugContext);
}
template <typename T>
SparseTensor createDenseSparseMatMulRHS(Graph &graph, const Type &inputType,
                                        const MatMulParams &params, const CSRMatrix<T> &matrix,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options, PlanningCache *) {
  return create("createDenseSparseMatMulRHS", false, graph, inputType, params, matrix, options,
                debugContext);
}
#define POPSPARSE_CREATE(function, T)                                                              \
  template SparseTensor function(Graph &, const Type &, const MatMulParams &,                      \
                                 const CSRMatrix<T> &, const DebugContext &, const OptionFlags &,  \
                                 PlanningCache *);
POPSPARSE_CREATE(createSparseDenseMatMulLHS, float)
POPSPARSE_CREATE(createSparseDenseMatMulLHS, double)
POPSPARSE_CREATE(createDenseSparseMatMulRHS, float)
POPSPARSE_CREATE(createDenseSparseMatMulRHS, double)

Tensor createSparseDenseMatMulRHS(Graph &graph, const Type &inputType, const MatMulParams &params,
                                  const DebugContext &debugContext, const OptionFlags &options,
                                  PlanningCache *) {
  dynamic::checkOptions(options);
  return createDense(graph, inputType, {1, params.getK(), params.getN()}, {debugContext, "rhs"});
}
Tensor createDenseSparseMatMulLHS(Graph &graph, const Type &inputType, const MatMulParams &params,
                                  const DebugContext &debugContext, const OptionFlags &options,
                                  PlanningCache *) {
  dynamic::checkOptions(options);
  return createDense(graph, inputType, {1, params.getM(), params.getK()}, {debugContext, "lhs"});
}

Tensor sparseDenseMatMul(Graph &graph, const SparseTensor &lhs, const Tensor &rhs, Sequence &prog,
                         bool transposeLHS, bool transposeRHS, const DebugContext &debugContext,
                         const OptionFlags &options, PlanningCache *) {
  const char *const function = "sparseDenseMatMul";
  const MatMulParams &p = paramsOf<Pattern>(function, lhs).params;
  const Pattern &pattern = checked(function, lhs, true, rhs, transposeLHS ? p.getM() : p.getK(),
                                   p.getN(), transposeRHS, options);
  return product(graph, lhs, pattern, transposeRHS ? rhs[0].transpose() : rhs[0], transposeLHS,
                 prog, debugContext)
      .expand({0});
}

Tensor denseSparseMatMul(Graph &graph, const Tensor &lhs, const SparseTensor &rhs, Sequence &prog,
                         bool transposeLHS, bool transposeRHS, const DebugContext &debugContext,
                         const OptionFlags &options, PlanningCache *) {
  const char *const function = "denseSparseMatMul";
  const MatMulParams &p = paramsOf<Pattern>(function, rhs).params;
  const Pattern &pattern = checked(function, rhs, false, lhs, p.getM(),
                                   transposeRHS ? p.getN() : p.getK(), transposeLHS, options);
  // (X W)^T = W^T X^T
  const Tensor dense = transposeLHS ? lhs[0] : lhs[0].transpose();
  return product(graph, rhs, pattern, dense, !transposeRHS, prog, debugContext)
      .transpose()
      .expand({0});
}

} // namespace static_
} // namespace popsparse
