#pragma once

#include <string>
#include <vector>

namespace scaling {

/// What the user asked for.
struct Options {
  std::string workload = "training"; ///< training, stencil or streamed
  unsigned most = 16;                ///< replicas: 1, 2, 4, ... up to this
  unsigned steps = 10;               ///< of the measured run
  unsigned kibibytes = 16;           ///< of each replica: gradients, halo rows or batch
  unsigned cycles = 50'000;          ///< of computation on each replica and step
  std::string device = "ipumodel";   ///< or ipu: a process for each IPU
  std::string csv = "scaling.csv", svg = "scaling.svg";
};

/// Ends the process when there is nothing to run: help, or a wrong argument.
Options readOptions(int argc, char **argv);

} // namespace scaling
