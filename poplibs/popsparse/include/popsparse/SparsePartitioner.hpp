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

struct BucketPlan;

/// A sparse matrix as the tensors of a SparseTensor hold it.
template <typename T> struct SparsityDataImpl {
  std::vector<std::size_t> metaInfo; ///< UNSIGNED_SHORT on the device
  std::vector<T> nzValues;
};

/// Encodes matrices for the device, and back. For float and double.
///
/// Parameters, data type, target and options are those of the operation.
/// Errors: poputil::poplibs_error for blocks that are not those of the parameters, indices that do not
/// fit, and more non-zero values than the parameters have room for (`Overflow in buckets`).
template <typename T> class Partitioner {
public:
  Partitioner(const FullyConnectedParams &params, const poplar::Type &dataType,
              const poplar::Target &target, const poplar::OptionFlags &options,
              PlanningCache *cache = nullptr, std::string name = "");
  Partitioner(const MatMulParams &params, const poplar::Type &dataType,
              const poplar::Target &target, const poplar::OptionFlags &options,
              PlanningCache *cache = nullptr, std::string name = "");

  SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T> &matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T> &matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T> &matrix) const;

  /// By rows, then columns.
  COOMatrix<T> sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const;
  CSRMatrix<T> sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const;
  CSCMatrix<T> sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const;

  /// How the plan cuts rows, columns and the batch: non-zero values are in as many buckets as the
  /// first says.
  std::tuple<unsigned, unsigned, unsigned> getPlanPartitions() const;
  /// Elements of metaInfo in each bucket.
  std::vector<std::size_t> getmetaInfoBucketElements() const;

private:
  std::shared_ptr<const BucketPlan> plan_;
};

} // namespace dynamic
} // namespace popsparse
