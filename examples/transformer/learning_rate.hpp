#pragma once

#include <cstdint>

namespace transformer {

/// The rate of learning: it rises for some steps, then falls on a cosine to a tenth of its peak.
struct LearningRate {
  double peak = 0.01;
  std::uint64_t rising = 30; ///< steps
  std::uint64_t steps = 300; ///< steps of the training

  double at(std::uint64_t step) const;
  /// Returns the rate with the correction for Adam's moments, which begin at 0.
  float forAdam(std::uint64_t step, double firstDecay, double secondDecay) const;
};

} // namespace transformer
