#pragma once

#include "options.hpp"

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

struct Point {
  unsigned replicas = 1;
  double cycles = 0;     ///< modelled, of one step
  double throughput = 0; ///< steps of one replica per modelled second, summed over the replicas
  double efficiency = 0; ///< throughput against that many times one replica's
};

struct Series {
  Setup setup;
  std::vector<Point> points; ///< ascending in replicas
};

/// Runs the workload in all setups, on 1, 2, 4, ... replicas; tells \p progress of each run.
std::vector<Series> runExperiment(const Options &options, std::ostream &progress);

/// One line per run, with a header.
void writeCsv(std::ostream &out, const std::vector<Series> &all);

} // namespace scaling
