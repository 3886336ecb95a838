#pragma once

#include "options.hpp"
#include "text.hpp"

#include <cstdint>
#include <poplar/Engine.hpp>
#include <random>
#include <string>
#include <vector>

namespace transformer {

/// Writes text with the model in an engine: one run of kPredict for each character.
class Sampler {
public:
  /// Connects the streams of kPredict.
  Sampler(poplar::Engine &engine, const Text &text, const Options &options);

  /// \returns what the model writes after \p beginning
  std::string write(const std::string &beginning, unsigned characters);

private:
  std::uint32_t next();

  poplar::Engine &engine_;
  const Text &text_;
  std::size_t context_;
  float temperature_;
  std::mt19937 random_;
  std::vector<std::uint32_t> written_;
  std::vector<std::uint32_t> prompt_; ///< the last characters, then padding
  std::uint32_t position_ = 0;        ///< position of the last character
  std::vector<float> probabilities_;
};

} // namespace transformer
