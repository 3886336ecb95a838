#pragma once

#include "options.hpp"
#include "text.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace transformer {

struct Results {
  std::vector<double> losses; ///< means over each ten steps [nats per character]
  unsigned firstStep = 0;     ///< not 0: a checkpoint of an earlier run was there
  unsigned recoveries = 0;    ///< how often this run went on after a failure
  std::size_t parameters = 0;
  std::uint64_t modelledCycles = 0; ///< cycles of the training, on the slowest replica
  double modelledStepsPerSecond = 0;
  double wallSeconds = 0;    ///< time of the training
  double stepsPerSecond = 0; ///< likewise
  std::string parametersSha256;
  std::string sample;
};

/// Told what happens.
struct Progress {
  std::function<void(unsigned steps, double loss)> done;
  std::function<void(const std::string &why)> failed; ///< the steps since then are to be repeated
  std::function<void(unsigned steps)> resumed;        ///< from the checkpoint after so many
};

/// Trains the model on the device that \p options name, and lets it write.
/// \throws poplar::poplar_error, std::runtime_error
Results train(const Text &text, const Options &options, const Progress &progress);

} // namespace transformer
