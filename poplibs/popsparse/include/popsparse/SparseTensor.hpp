#pragma once

#include <poplar/Tensor.hpp>
#include <poputil/TensorMetaData.hpp>
#include <utility>

namespace popsparse {
namespace dynamic {

/// Holds a sparse matrix on the device as a Partitioner encodes it: the positions of the values,
/// and the values.
class SparseTensor {
public:
  /// Holds no matrix.
  SparseTensor() = default;
  /// Holds a matrix; for the library's use.
  SparseTensor(const poplar::Tensor &metaInfo, const poplar::Tensor &nzValues,
               poputil::TensorMetaData opMetaData = {})
      : metaInfo_(metaInfo), nzValues_(nzValues), opMetaData_(std::move(opMetaData)) {}

  /// Returns the positions, UNSIGNED_SHORT.
  const poplar::Tensor &getMetaInfoTensor() const { return metaInfo_; }
  /// Returns the values.
  const poplar::Tensor &getNzValuesTensor() const { return nzValues_; }
  /// Returns the operation that it was made for.
  const poputil::TensorMetaData &getOpMetaData() const { return opMetaData_; }

private:
  poplar::Tensor metaInfo_, nzValues_;
  poputil::TensorMetaData opMetaData_;
};

} // namespace dynamic
} // namespace popsparse
