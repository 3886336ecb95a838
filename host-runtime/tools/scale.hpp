#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace copse::tools {

/// A sweep of `copse scale`: each list has the values of one axis, and the points are all
/// combinations.
struct ScaleRequest {
  std::string replicas, ipus, batch; ///< numbers: "1,2,4,...,1024"
  std::vector<std::string> topologies, syncs, pods, hosts;
  /// Values that change together with the swept numbers: "side=8000,10000,14000".
  std::vector<std::string> with;
  /// Samples of a run of one replica, or of a whole run if isStrong: one number for all runs, or
  /// one for each swept number.
  std::vector<double> samples{1};
  bool isStrong = false;
  std::string program; ///< number of the program whose runs count; empty: all
  std::string figure;  ///< regular expression whose first group is the program's own throughput
  std::vector<std::string> assumptions;
  unsigned jobs = 0;                 ///< points that run at one time; 0: one on each processor
  unsigned timeout = 600;            ///< for each point [s, wall-clock]
  std::string output = "scale.html"; ///< the page; its figures lie beside, in a file .csv
  std::vector<std::string> command;  ///< the program and its arguments, with placeholders
};

void addScaleOptions(CLI::App &command, ScaleRequest &request);

/// Runs the sweep, and writes the page and its figures.
/// \returns 0; 1 if a point failed
/// \throws WrongArguments, std::runtime_error
int scaleProgram(const ScaleRequest &request);

} // namespace copse::tools
