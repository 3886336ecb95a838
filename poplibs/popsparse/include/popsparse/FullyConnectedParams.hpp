#pragma once

#include <cstddef>
#include <ostream>
#include <popsparse/SparsityParams.hpp>

namespace popsparse {
namespace dynamic {

/// Describes a layer Y = X W^T with sparse weights W [out, in], activations X [batch, in].
class FullyConnectedParams {
public:
  ///@{

  /// Describes a layer with a largest share or number of non-zero values.
  /// \throws poputil::poplibs_error for a ratio outside [0, 1], too many values, or sizes that are
  ///   not whole blocks
  static FullyConnectedParams createWithNzRatio(const SparsityParams &sparsityParams,
                                                double nzRatio, std::size_t batchSize,
                                                std::size_t numGroups, std::size_t inputChannels,
                                                std::size_t outputChannels);
  static FullyConnectedParams
  createWithNumNonZeroValues(const SparsityParams &sparsityParams, std::size_t numNonZeroValues,
                             std::size_t batchSize, std::size_t numGroups,
                             std::size_t inputChannels, std::size_t outputChannels);
  ///@}

  ///@{

  /// Returns a size.
  std::size_t getBatchSize() const { return batchSize_; }
  std::size_t getNumGroups() const { return numGroups_; }
  std::size_t getInputChannels() const { return inputChannels_; }
  std::size_t getOutputChannels() const { return outputChannels_; }
  std::size_t getInputChannelsPerGroup() const { return inputChannels_ / numGroups_; }
  std::size_t getOutputChannelsPerGroup() const { return outputChannels_ / numGroups_; }
  ///@}

  /// Returns the unit of sparsity.
  const SparsityParams &getSparsityParams() const { return sparsityParams_; }
  /// Returns the largest share of non-zero values.
  double getNzRatio() const;
  /// Returns the largest number of non-zero values.
  std::size_t getNumNonZeroValues() const { return numNonZeroValues_; }

  ///@{

  /// Compares or writes all members.
  friend bool operator==(const FullyConnectedParams &a, const FullyConnectedParams &b);
  friend bool operator!=(const FullyConnectedParams &a, const FullyConnectedParams &b) {
    return !(a == b);
  }
  friend bool operator<(const FullyConnectedParams &a, const FullyConnectedParams &b);
  friend std::ostream &operator<<(std::ostream &out, const FullyConnectedParams &params);
  ///@}

private:
  FullyConnectedParams() = default;
  SparsityParams sparsityParams_;
  std::size_t batchSize_ = 0, numGroups_ = 1, inputChannels_ = 0, outputChannels_ = 0,
              numNonZeroValues_ = 0;
};

///@{

/// Compares or writes all members.
bool operator==(const FullyConnectedParams &a, const FullyConnectedParams &b);
bool operator<(const FullyConnectedParams &a, const FullyConnectedParams &b);
std::ostream &operator<<(std::ostream &out, const FullyConnectedParams &params);
///@}

} // namespace dynamic
} // namespace popsparse
