#pragma once

#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <popsparse/MatMulParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseStorageFormats.hpp>
#include <popsparse/SparseTensor.hpp>
#include <string>
#include <vector>

// Products of a sparse and a dense matrix. FLOAT or HALF, one group. Options are those of
// FullyConnected.hpp, without effect. Errors: poputil::poplibs_error, poplar::invalid_option.
namespace popsparse {

// With a pattern that a host may change: see SparsePartitioner.hpp.
namespace dynamic {

SparseTensor createSparseDenseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                        const MatMulParams &params,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        PlanningCache *cache = nullptr);
/// \returns {1, k, n}
poplar::Tensor createSparseDenseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                          const MatMulParams &params,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {},
                                          PlanningCache *cache = nullptr);
/// \param rhs           {1, k, n}, or {1, m, n} with \p transposeLHS
/// \param transposeLHS  the product is that of the transposed sparse matrix
/// \param transposeRHS  the last two dimensions of \p rhs are swapped
/// \returns {1, m, n}, or {1, k, n} with \p transposeLHS
poplar::Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs,
                                 const poplar::Tensor &rhs, poplar::program::Sequence &prog,
                                 bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);

} // namespace dynamic

// With a pattern that is known when the graph is built.
namespace static_ {

using PlanningCache = dynamic::PlanningCache;

/// The sizes of a product.
class MatMulParams {
public:
  /// {groups, m, k} times {groups, k, n}; the former is sparse.
  static MatMulParams createForSparseDense(std::size_t groups, std::size_t m, std::size_t k,
                                           std::size_t n);
  /// The latter is sparse.
  static MatMulParams createForDenseSparse(std::size_t groups, std::size_t m, std::size_t k,
                                           std::size_t n);
  std::size_t getNumGroups() const { return groups_; }
  std::size_t getM() const { return m_; }
  std::size_t getK() const { return k_; }
  std::size_t getN() const { return n_; }
  bool isSparseDense() const { return sparseDense_; }

private:
  MatMulParams(std::size_t groups, std::size_t m, std::size_t k, std::size_t n, bool sparseDense);
  std::size_t groups_, m_, k_, n_;
  bool sparseDense_;
};

/// Values of a sparse matrix whose pattern is a constant of the graph.
class SparseTensor {
public:
  SparseTensor() = default;
  SparseTensor(const poplar::Tensor &nzValues, poputil::TensorMetaData opMetaData)
      : nzValues_(nzValues), opMetaData_(std::move(opMetaData)) {}
  const poplar::Tensor &getNzValuesTensor() const { return nzValues_; }
  const poputil::TensorMetaData &getOpMetaData() const { return opMetaData_; }

private:
  poplar::Tensor nzValues_;
  poputil::TensorMetaData opMetaData_;
};

/// Puts values of a matrix with the pattern of a SparseTensor in the order of its values.
template <typename T> class Partitioner {
public:
  Partitioner(const MatMulParams &params, const poplar::Type &dataType,
              const poplar::Target &target, const poplar::OptionFlags &options,
              PlanningCache *cache = nullptr, std::string name = "");
  std::vector<T> createSparsityDataImpl(const CSRMatrix<T> &matrix) const;

private:
  std::size_t rows_, columns_, dense_;
  poplar::Type type_;
  poplar::Target target_;
};

/// \param matrix  its pattern; values are written by the program
template <typename T>
SparseTensor createSparseDenseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                        const MatMulParams &params, const CSRMatrix<T> &matrix,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        PlanningCache *cache = nullptr);
template <typename T>
SparseTensor createDenseSparseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                        const MatMulParams &params, const CSRMatrix<T> &matrix,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        PlanningCache *cache = nullptr);
poplar::Tensor createSparseDenseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                          const MatMulParams &params,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {},
                                          PlanningCache *cache = nullptr);
poplar::Tensor createDenseSparseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                          const MatMulParams &params,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {},
                                          PlanningCache *cache = nullptr);

/// As the dynamic one.
poplar::Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs,
                                 const poplar::Tensor &rhs, poplar::program::Sequence &prog,
                                 bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);
/// \param lhs  {1, m, k}, or {1, m, n} with \p transposeRHS; with \p transposeLHS, the last two
///             dimensions are swapped
/// \returns {1, m, n}, or {1, m, k} with \p transposeRHS
poplar::Tensor denseSparseMatMul(poplar::Graph &graph, const poplar::Tensor &lhs,
                                 const SparseTensor &rhs, poplar::program::Sequence &prog,
                                 bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);

} // namespace static_
} // namespace popsparse
