#include "batches.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace digits {

BatchPlan::BatchPlan(std::size_t images, unsigned batch, unsigned replicas, bool shuffle,
                     unsigned seed)
    : images_(images), batch_(batch), replicas_(replicas), seed_(seed), shuffle_(shuffle) {
  const std::size_t perStep = std::size_t{batch} * replicas;
  steps_ = static_cast<unsigned>(shuffle ? images / perStep : (images + perStep - 1) / perStep);
}

const std::vector<std::uint32_t> &BatchPlan::orderOf(std::uint64_t epoch) const {
  if (epoch == cachedEpoch_)
    return order_;
  cachedEpoch_ = epoch;
  order_.resize(images_);
  std::iota(order_.begin(), order_.end(), 0u);
  if (shuffle_) {
    std::mt19937_64 random(seed_ * 0x9E3779B97F4A7C15ull + epoch);
    for (std::size_t i = order_.size() - 1; i > 0; --i) // not std::shuffle: libraries differ
      std::swap(order_[i], order_[random() % (i + 1)]);
  }
  return order_;
}

std::size_t BatchPlan::imageOrPadding(std::uint64_t step, unsigned replica,
                                      unsigned position) const {
  const std::uint64_t inEpoch = step % steps_;
  const std::size_t place = (inEpoch * replicas_ + replica) * batch_ + position;
  return place < images_ ? orderOf(step / steps_)[place] : images_;
}

std::size_t BatchPlan::imageAt(std::uint64_t step, unsigned replica, unsigned position) const {
  return std::min(imageOrPadding(step, replica, position), images_ - 1);
}

namespace {

class BatchFeeder final : public poplar::StreamCallback {
public:
  BatchFeeder(RowKind kind, const std::vector<Image> &images, BatchPlan plan, unsigned batch,
              unsigned replica, std::uint64_t firstStep)
      : kind_(kind), images_(images), plan_(std::move(plan)), batch_(batch), replica_(replica),
        filled_(firstStep), used_(firstStep) {}

  Result prefetch(void *row) override {
    fetch(row);
    return Result::Success;
  }
  void fetch(void *row) override {
    kind_ == RowKind::Images ? fillImages(static_cast<float *>(row))
                             : fillLabels(static_cast<std::int32_t *>(row));
    ++filled_;
  }
  void complete() override { ++used_; }
  void invalidatePrefetched() override { filled_ = used_; }

private:
  const Image &image(unsigned position) const {
    return images_[plan_.imageAt(filled_, replica_, position)];
  }

  void fillImages(float *row) const {
    for (unsigned b = 0; b < batch_; ++b) {
      const Image &source = image(b);
      for (unsigned p = 0; p < kPixels; ++p)
        row[p * batch_ + b] = source.pixels[p];
    }
  }
  void fillLabels(std::int32_t *row) const {
    for (unsigned b = 0; b < batch_; ++b)
      row[b] = image(b).label;
  }

  RowKind kind_;
  const std::vector<Image> &images_;
  BatchPlan plan_;
  unsigned batch_, replica_;
  std::uint64_t filled_, used_; // rows
};

} // namespace

std::unique_ptr<poplar::StreamCallback> makeBatchFeeder(RowKind kind,
                                                        const std::vector<Image> &images,
                                                        BatchPlan plan, unsigned batch,
                                                        unsigned replica, std::uint64_t firstStep) {
  return std::make_unique<BatchFeeder>(kind, images, std::move(plan), batch, replica, firstStep);
}

} // namespace digits
