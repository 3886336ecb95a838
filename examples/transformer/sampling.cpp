#include "sampling.hpp"

#include <algorithm>
#include <cstring>

namespace transformer {

Sampler::Sampler(poplar::Engine &engine, const Text &text, const Options &options)
    : engine_(engine), text_(text), context_(options.model.shape.context),
      temperature_(static_cast<float>(options.temperature)), random_(options.model.seed),
      prompt_(context_), probabilities_(text.alphabetSize()) {
  for (unsigned r = 0; r != options.replicas; ++r) { // all predict, and one is listened to
    engine.connectStreamToCallback(kPromptStream, r, [this](void *row) {
      std::memcpy(row, prompt_.data(), prompt_.size() * sizeof prompt_[0]);
    });
    engine.connectStreamToCallback(
        kPositionStream, r, [this](void *row) { std::memcpy(row, &position_, sizeof position_); });
    engine.connectStreamToCallback(kProbabilitiesStream, r, [this, r](void *row) {
      if (r == 0)
        std::memcpy(probabilities_.data(), row, probabilities_.size() * sizeof probabilities_[0]);
    });
  }
}

std::string Sampler::write(const std::string &beginning, unsigned characters) {
  engine_.writeTensor(kTemperatureHandle, &temperature_, &temperature_ + 1);
  written_ = text_.numbersOf(beginning);
  if (written_.empty()) // none of these characters occurs in the text
    written_.push_back(text_.characters().front());
  std::string result;
  for (unsigned i = 0; i != characters; ++i) {
    written_.push_back(next());
    result += text_.letter(written_.back());
  }
  return result;
}

std::uint32_t Sampler::next() {
  const std::size_t known = std::min(written_.size(), context_);
  std::fill(prompt_.begin(), prompt_.end(), 0u);
  std::copy(written_.end() - static_cast<std::ptrdiff_t>(known), written_.end(), prompt_.begin());
  position_ = static_cast<std::uint32_t>(known - 1);
  engine_.run(kPredict);

  double left = static_cast<double>(random_()) / 4294967296.0;
  for (std::uint32_t c = 0; c + 1 != probabilities_.size(); ++c)
    if ((left -= static_cast<double>(probabilities_[c])) < 0)
      return c;
  return static_cast<std::uint32_t>(probabilities_.size() - 1);
}

} // namespace transformer
