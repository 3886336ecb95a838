#pragma once

#include <memory>
#include <utility>

namespace poputil {

/// Base of the data that an operation attaches to a tensor that it has made, for a later operation
/// on it: derive from this class.
class TensorMetaDataBase {
public:
  /// Destroys the data.
  virtual ~TensorMetaDataBase();
  /// Returns a copy.
  virtual std::unique_ptr<TensorMetaDataBase> clone() const = 0;
};

/// Holds a copy of an operation's data about a tensor, or nothing.
class TensorMetaData {
public:
  /// Holds nothing.
  TensorMetaData() = default;
  /// Takes over the data.
  TensorMetaData(std::unique_ptr<TensorMetaDataBase> data) : data_(std::move(data)) {}

  ///@{

  /// Copies or moves the data.
  TensorMetaData(const TensorMetaData &other) : data_(copyOf(other)) {}
  TensorMetaData(TensorMetaData &&other) = default;
  TensorMetaData &operator=(const TensorMetaData &other) {
    data_ = copyOf(other);
    return *this;
  }
  TensorMetaData &operator=(TensorMetaData &&other) = default;
  ///@}

  /// Returns the data; null if there is none.
  const TensorMetaDataBase *getData() const { return data_.get(); }

private:
  static std::unique_ptr<TensorMetaDataBase> copyOf(const TensorMetaData &other) {
    return other.data_ ? other.data_->clone() : std::unique_ptr<TensorMetaDataBase>();
  }
  std::unique_ptr<TensorMetaDataBase> data_;
};

} // namespace poputil
