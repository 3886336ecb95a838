#pragma once

#include <string>
#include <vector>

namespace scaling {

/// The figure that grows from run to run.
enum class SweepKind { Replicas, IpusPerReplica, Batch, Accumulation };

/// The options of the user.
struct Options {
  std::string workload = "training"; ///< a name in workloads.hpp
  SweepKind sweep = SweepKind::Replicas;
  bool strong = false;    ///< the samples of a step do not depend on the number of replicas
  unsigned most = 16;     ///< the swept figure: 1, 2, 4, ... up to this
  unsigned replicas = 16; ///< in sweeps of something else; of IPUs, all of them together
  unsigned ipusPerReplica = 1;
  unsigned batch = 16;     ///< samples of a micro-batch on one replica
  unsigned accumulate = 1; ///< micro-batches of a step
  unsigned steps = 10;     ///< steps of the measured run
  unsigned kibibytes = 16; ///< size of the gradients, or of a halo row
  unsigned sampleBytes = 1024;
  unsigned cycles = 3125; ///< cycles to compute a sample on one IPU
  std::vector<std::string> topologies{"mesh", "torus"}, syncs{"hardware", "software"},
      prefetches{"off", "on"};     ///< all combinations are run
  std::string device = "ipumodel"; ///< model-only: nothing is executed; ipu: a process for each IPU
  std::string csv = "scaling.csv", svg = "scaling.svg";
};

/// Ends the process when there is nothing to run: help, or a wrong argument.
Options readOptions(int argc, char **argv);

} // namespace scaling
