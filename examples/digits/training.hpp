#pragma once

#include "dataset.hpp"
#include "options.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace digits {

struct Results {
  std::vector<double> lossPerEpoch; ///< mean over the images
  double accuracy = 0;              ///< on the test images, 0 to 1
  std::uint64_t modelledCycles = 0; ///< of the training, on the slowest replica
  double modelledImagesPerSecond = 0;
  double wallSeconds = 0; ///< of the training and the test
  unsigned ipudProcesses = 0;
  std::string weightsSha256;
};

/// Called after each epoch.
using Progress = std::function<void(unsigned epoch, double loss)>;

/// Builds the network, trains it on the device that \p options name, and tests it.
/// \throws poplar::poplar_error, std::runtime_error
Results train(const Dataset &dataset, const Options &options, const Progress &progress);

} // namespace digits
