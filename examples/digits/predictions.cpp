#include "predictions.hpp"

#include <cstring>

namespace digits {

void Predictions::take(unsigned replica, const void *row) {
  std::vector<std::int32_t> predicted(batch_);
  std::memcpy(predicted.data(), row, predicted.size() * sizeof(std::int32_t));
  const std::uint64_t step = rows_[replica]++;
  for (unsigned b = 0; b < batch_; ++b) {
    const std::size_t image = plan_.imageOrPadding(step, replica, b);
    if (image < images_.size() && images_[image].label == predicted[b])
      ++correct_;
  }
}

} // namespace digits
