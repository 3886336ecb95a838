#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace digits {

struct Results {
  std::vector<double> lossPerEpoch; ///< mean over the images; from firstEpoch on
  double finalLoss = 0;
  unsigned firstEpoch = 0;          ///< not 0: a checkpoint of an earlier run was there
  unsigned recoveries = 0;          ///< how often this run went on after a failure
  double accuracy = 0;              ///< on the test images, 0 to 1
  std::uint64_t modelledCycles = 0; ///< cycles of the training, on the slowest replica
  double modelledImagesPerSecond = 0;
  double wallSeconds = 0;     ///< time of the training and the test
  unsigned ipudProcesses = 0; ///< that this run has started
  unsigned clusterIpus = 0;   ///< IPUs of a cluster that it ran on
  std::string weightsSha256;
};

/// Told after each epoch, numbered from 0, and of what a checkpoint is for.
struct Progress {
  std::function<void(unsigned epoch, double loss)> done;
  std::function<void(const std::string &why)> failed; ///< the last epoch is to be repeated
  std::function<void(unsigned epochs)> resumed;       ///< from the checkpoint after so many
};

} // namespace digits
