#pragma once

#include "dataset.hpp"

#include <cstdint>
#include <memory>
#include <poplar/StreamCallback.hpp>
#include <vector>

namespace digits {

/// Decides which image is at position i of step s on replica r. The training images are shuffled
/// again in each epoch, by a seed; a last batch that is not full is left out. The test images come
/// once, in order, padded with the last one.
class BatchPlan {
public:
  BatchPlan(std::size_t images, unsigned batch, unsigned replicas, bool shuffle, unsigned seed);
  unsigned stepsPerEpoch() const { return steps_; }
  /// Returns the number of the image, counted over all epochs' steps.
  std::size_t imageAt(std::uint64_t step, unsigned replica, unsigned position) const;
  /// Returns the image at this place, or one past the last where there is only padding.
  std::size_t imageOrPadding(std::uint64_t step, unsigned replica, unsigned position) const;

private:
  const std::vector<std::uint32_t> &orderOf(std::uint64_t epoch) const;
  std::size_t images_;
  unsigned batch_, replicas_, steps_, seed_;
  bool shuffle_;
  mutable std::uint64_t cachedEpoch_ = ~std::uint64_t{0};
  mutable std::vector<std::uint32_t> order_;
};

/// The contents of one row of a stream.
enum class RowKind { Images, Labels };

/// Feeds one replica's batches. Rows can be filled ahead of time: which row comes next depends on
/// nothing but how many were filled before.
/// \param firstStep  where it begins
std::unique_ptr<poplar::StreamCallback>
makeBatchFeeder(RowKind kind, const std::vector<Image> &images, BatchPlan plan, unsigned batch,
                unsigned replica, std::uint64_t firstStep = 0);

} // namespace digits
