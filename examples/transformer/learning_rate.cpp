#include "learning_rate.hpp"

#include <algorithm>
#include <cmath>

namespace transformer {

double LearningRate::at(std::uint64_t step) const {
  if (step < rising)
    return peak * static_cast<double>(step + 1) / static_cast<double>(rising);
  const double done = static_cast<double>(step - rising) /
                      static_cast<double>(std::max<std::uint64_t>(steps - rising, 1));
  return peak * (0.55 + 0.45 * std::cos(M_PI * std::min(done, 1.0)));
}

float LearningRate::forAdam(std::uint64_t step, double firstDecay, double secondDecay) const {
  const auto updates = static_cast<double>(step + 1);
  return static_cast<float>(at(step) * std::sqrt(1 - std::pow(secondDecay, updates)) /
                            (1 - std::pow(firstDecay, updates)));
}

} // namespace transformer
