#pragma once

#include <cstddef>
#include <memory>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/MatMulParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseStorageFormats.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace popsparse {
namespace dynamic {

/// The layout of non-zero values on tiles.
struct BucketPlan;

/// Holds a sparse matrix as the tensors of a SparseTensor hold it.
template <typename T> struct SparsityDataImpl {
  /// Positions; UNSIGNED_SHORT on the device.
  std::vector<std::size_t> metaInfo;
  /// Values, in the order of the device.
  std::vector<T> nzValues;
};

/// Encodes sparse matrices for the device, and decodes them. T is float or double. Parameters, data
/// type, target and options must be the same as for the operation that uses the matrix.
///
/// \code
/// auto data = Partitioner<float>(params, FLOAT, target, {}).createSparsityDataImpl(matrix);
/// engine.writeTensor("values", data.nzValues.data(), data.nzValues.data() + data.nzValues.size());
/// \endcode
///
/// Errors: poputil::poplibs_error for blocks whose size differs from the parameters, indices that
/// do not fit, and more non-zero values than the parameters have room for (`Overflow in buckets`).
template <typename T> class Partitioner {
public:
  ///@{

  /// Makes a partitioner for the operation with the same parameters.
  Partitioner(const FullyConnectedParams &params, const poplar::Type &dataType,
              const poplar::Target &target, const poplar::OptionFlags &options,
              PlanningCache *cache = nullptr, std::string name = "");
  Partitioner(const MatMulParams &params, const poplar::Type &dataType,
              const poplar::Target &target, const poplar::OptionFlags &options,
              PlanningCache *cache = nullptr, std::string name = "");
  ///@}

  ///@{

  /// Encodes a matrix.
  /// \throws poputil::poplibs_error if the matrix does not fit the parameters
  SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T> &matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T> &matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T> &matrix) const;
  ///@}

  ///@{

  /// Decodes a matrix; its blocks are ordered by rows, then columns.
  /// \throws poputil::poplibs_error if \p data does not fit the parameters
  COOMatrix<T> sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const;
  CSRMatrix<T> sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const;
  CSCMatrix<T> sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const;
  ///@}

  /// Returns the numbers of parts into which the plan cuts rows, columns and the batch. The first
  /// is the number of buckets that hold the non-zero values.
  std::tuple<unsigned, unsigned, unsigned> getPlanPartitions() const;
  /// Returns the number of elements of metaInfo in each bucket.
  std::vector<std::size_t> getmetaInfoBucketElements() const;

private:
  std::shared_ptr<const BucketPlan> plan_;
};

} // namespace dynamic
} // namespace popsparse
