#pragma once

#include <memory>
#include <utility>

namespace poputil {

/// The knowledge of an operation about a tensor that it has made.
class TensorMetaDataBase {
public:
  virtual ~TensorMetaDataBase();
  virtual std::unique_ptr<TensorMetaDataBase> clone() const = 0;
};

/// A copy of such knowledge, or none, which goes along with the tensor.
class TensorMetaData {
public:
  TensorMetaData() = default;
  TensorMetaData(std::unique_ptr<TensorMetaDataBase> data) : data_(std::move(data)) {}
  TensorMetaData(const TensorMetaData &other) : data_(copyOf(other)) {}
  TensorMetaData(TensorMetaData &&other) = default;
  TensorMetaData &operator=(const TensorMetaData &other) {
    data_ = copyOf(other);
    return *this;
  }
  TensorMetaData &operator=(TensorMetaData &&other) = default;

  const TensorMetaDataBase *getData() const { return data_.get(); } ///< null: none

private:
  static std::unique_ptr<TensorMetaDataBase> copyOf(const TensorMetaData &other) {
    return other.data_ ? other.data_->clone() : std::unique_ptr<TensorMetaDataBase>();
  }
  std::unique_ptr<TensorMetaDataBase> data_;
};

} // namespace poputil
