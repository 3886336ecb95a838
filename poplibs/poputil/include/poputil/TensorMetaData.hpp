#pragma once

#include <memory>
#include <utility>

namespace poputil {

/// Holds what an operation knows of a tensor that it has made: derive from it.
class TensorMetaDataBase {
public:
  /// Destroys the knowledge.
  virtual ~TensorMetaDataBase();
  /// Returns a copy.
  virtual std::unique_ptr<TensorMetaDataBase> clone() const = 0;
};

/// Carries a copy of such knowledge, or none, along with the tensor.
class TensorMetaData {
public:
  /// Carries none.
  TensorMetaData() = default;
  /// Takes over the knowledge.
  TensorMetaData(std::unique_ptr<TensorMetaDataBase> data) : data_(std::move(data)) {}

  ///@{

  /// Copies or moves the knowledge.
  TensorMetaData(const TensorMetaData &other) : data_(copyOf(other)) {}
  TensorMetaData(TensorMetaData &&other) = default;
  TensorMetaData &operator=(const TensorMetaData &other) {
    data_ = copyOf(other);
    return *this;
  }
  TensorMetaData &operator=(TensorMetaData &&other) = default;
  ///@}

  /// Returns the knowledge; null if there is none.
  const TensorMetaDataBase *getData() const { return data_.get(); }

private:
  static std::unique_ptr<TensorMetaDataBase> copyOf(const TensorMetaData &other) {
    return other.data_ ? other.data_->clone() : std::unique_ptr<TensorMetaDataBase>();
  }
  std::unique_ptr<TensorMetaDataBase> data_;
};

} // namespace poputil
