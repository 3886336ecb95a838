#pragma once

#include "options.hpp"

#include <vector>

namespace scaling {

/// The size of one run.
struct Scale {
  unsigned replicas = 1, ipusPerReplica = 1;
  unsigned batch = 1;      ///< samples of a micro-batch on one replica
  unsigned accumulate = 1; ///< micro-batches of a step

  unsigned ipus() const { return replicas * ipusPerReplica; }
  unsigned samplesPerStep() const { return replicas * batch * accumulate; }
};

/// The runs that were asked for, and the figure that grows from one to the next.
struct Sweep {
  const char *axis; ///< "replicas", ...
  unsigned (*along)(const Scale &);
  std::vector<Scale> scales;
};

/// Returns a sweep whose figure is 1, 2, 4, ... up to options.most.
Sweep sweepOf(const Options &options);

} // namespace scaling
