#pragma once

#include <poplar/Tensor.hpp>
#include <poputil/TensorMetaData.hpp>
#include <utility>

namespace popsparse {
namespace dynamic {

/// A sparse matrix on the device: where values stand, and the values, as a Partitioner makes them.
class SparseTensor {
public:
  SparseTensor() = default;
  SparseTensor(const poplar::Tensor &metaInfo, const poplar::Tensor &nzValues,
               poputil::TensorMetaData opMetaData = {})
      : metaInfo_(metaInfo), nzValues_(nzValues), opMetaData_(std::move(opMetaData)) {}

  const poplar::Tensor &getMetaInfoTensor() const { return metaInfo_; } ///< UNSIGNED_SHORT
  const poplar::Tensor &getNzValuesTensor() const { return nzValues_; }
  /// The operation that it was made for.
  const poputil::TensorMetaData &getOpMetaData() const { return opMetaData_; }

private:
  poplar::Tensor metaInfo_, nzValues_;
  poputil::TensorMetaData opMetaData_;
};

} // namespace dynamic
} // namespace popsparse
