#pragma once

#include "options.hpp"
#include "scale.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace scaling {

/// One way to run a program.
struct Setup {
  std::string topology; ///< mesh or torus
  bool softwareSync = false, prefetch = false;

  std::string name() const; ///< "torus, software sync, prefetch"
};

/// Where the cycles of a step go, on the IPU that is done last.
struct Split {
  double compute = 0;
  double exchange = 0; ///< on chips and between them
  double sync = 0;     ///< with the wait for others
  double host = 0;     ///< streams and remote buffers
};

struct Point {
  Scale scale;
  double cycles = 0;     ///< modelled, of one step
  Split split;           ///< its sum is cycles
  double throughput = 0; ///< samples per modelled second
  double efficiency = 0; ///< throughput of an IPU against that in the first point
};

struct Series {
  Setup setup;
  std::vector<Point> points; ///< in the order of the sweep
};

/// Runs the workload in all setups at all scales of \p sweep; tells \p progress of each run.
std::vector<Series> runExperiment(const Options &options, const Sweep &sweep,
                                  std::ostream &progress);

/// Writes a header and one line per run.
void writeCsv(std::ostream &out, const std::vector<Series> &all);

} // namespace scaling
