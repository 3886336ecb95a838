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

/// \file popsparse/MatMul.hpp
/// Products of a sparse and a dense matrix. FLOAT or HALF, one group. Options are as in
/// popsparse/FullyConnected.hpp, without effect.
///
/// Errors: poputil::poplibs_error for shapes and types that do not fit, and for tensors made for
/// other operations; poplar::invalid_option for unknown options or values.

/// Sparse matrices: products, layers and embeddings. See User guide, 6.
namespace popsparse {

/// Sparse matrices with a pattern that a host may change: see popsparse/SparsePartitioner.hpp.
namespace dynamic {

/// Adds a sparse matrix for the product; a Partitioner makes its values.
SparseTensor createSparseDenseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                        const MatMulParams &params,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {},
                                        PlanningCache *cache = nullptr);
/// Adds the dense matrix of the product.
/// \returns shape [1, k, n]
poplar::Tensor createSparseDenseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                          const MatMulParams &params,
                                          const poplar::DebugContext &debugContext = {},
                                          const poplar::OptionFlags &options = {},
                                          PlanningCache *cache = nullptr);
/// Computes the product of a sparse and a dense matrix.
/// \param rhs           shape [1, k, n], or [1, m, n] with \p transposeLHS
/// \param transposeLHS  default false; true: the product of the transposed sparse matrix
/// \param transposeRHS  default false; true: the last two dimensions of \p rhs are swapped
/// \returns shape [1, m, n], or [1, k, n] with \p transposeLHS
/// \throws poputil::poplibs_error if shapes or types do not fit, or \p lhs was made for another
///   operation
poplar::Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs,
                                 const poplar::Tensor &rhs, poplar::program::Sequence &prog,
                                 bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);

} // namespace dynamic

/// Sparse matrices with a pattern that is known when the graph is built.
namespace static_ {

/// The cache of plans, shared with the dynamic operations.
using PlanningCache = dynamic::PlanningCache;

/// Describes the sizes of a product.
class MatMulParams {
public:
  /// Describes [groups, m, k] times [groups, k, n]; the left matrix is sparse.
  static MatMulParams createForSparseDense(std::size_t groups, std::size_t m, std::size_t k,
                                           std::size_t n);
  /// Describes [groups, m, k] times [groups, k, n]; the right matrix is sparse.
  static MatMulParams createForDenseSparse(std::size_t groups, std::size_t m, std::size_t k,
                                           std::size_t n);

  ///@{

  /// Returns a size.
  std::size_t getNumGroups() const { return groups_; }
  std::size_t getM() const { return m_; }
  std::size_t getK() const { return k_; }
  std::size_t getN() const { return n_; }
  ///@}

  /// Returns true if the left matrix is sparse.
  bool isSparseDense() const { return sparseDense_; }

private:
  MatMulParams(std::size_t groups, std::size_t m, std::size_t k, std::size_t n, bool sparseDense);
  std::size_t groups_, m_, k_, n_;
  bool sparseDense_;
};

/// Holds the values of a sparse matrix whose pattern is a constant of the graph.
class SparseTensor {
public:
  /// Holds no matrix.
  SparseTensor() = default;
  /// Holds a matrix; for the library's use.
  SparseTensor(const poplar::Tensor &nzValues, poputil::TensorMetaData opMetaData)
      : nzValues_(nzValues), opMetaData_(std::move(opMetaData)) {}
  /// Returns the values, in the order of Partitioner.
  const poplar::Tensor &getNzValuesTensor() const { return nzValues_; }
  /// Returns the operation that it was made for.
  const poputil::TensorMetaData &getOpMetaData() const { return opMetaData_; }

private:
  poplar::Tensor nzValues_;
  poputil::TensorMetaData opMetaData_;
};

/// Puts the values of a matrix into the order in which a SparseTensor of the same pattern stores
/// them on the device.
template <typename T> class Partitioner {
public:
  /// Makes a partitioner for the operation with the same arguments.
  Partitioner(const MatMulParams &params, const poplar::Type &dataType,
              const poplar::Target &target, const poplar::OptionFlags &options,
              PlanningCache *cache = nullptr, std::string name = "");
  /// Returns the values of \p matrix in the order of the device.
  std::vector<T> createSparsityDataImpl(const CSRMatrix<T> &matrix) const;

private:
  std::size_t rows_, columns_, dense_;
  poplar::Type type_;
  poplar::Target target_;
};

///@{

/// Adds the sparse matrix of a product.
/// - \p matrix: gives the pattern; a program writes the values
/// \throws poputil::poplibs_error if parameters or pattern do not fit
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
///@}

///@{

/// Adds the dense matrix of a product.
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
///@}

/// Computes the product of a sparse and a dense matrix; shapes and errors as the dynamic one.
poplar::Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs,
                                 const poplar::Tensor &rhs, poplar::program::Sequence &prog,
                                 bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);
/// Computes the product of a dense and a sparse matrix.
/// \param lhs  shape [1, m, k], or [1, m, n] with \p transposeRHS; with \p transposeLHS, the last
///   two dimensions are swapped
/// \returns shape [1, m, n], or [1, m, k] with \p transposeRHS
/// \throws poputil::poplibs_error if shapes or types do not fit, or \p rhs was made for another
///   operation
poplar::Tensor denseSparseMatMul(poplar::Graph &graph, const poplar::Tensor &lhs,
                                 const SparseTensor &rhs, poplar::program::Sequence &prog,
                                 bool transposeLHS = false, bool transposeRHS = false,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);

} // namespace static_
} // namespace popsparse
