#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>

namespace copse::tools {

/// Returns what a cluster did between two moments.
/// \param before,  after  results of statusOf()
/// \param time  between them
/// \returns for each IPU {ipu, state, holder, runs/s, steps/s, Mcycles/s, links MB/s, from host
///   MB/s, to host MB/s}; no rates for an IPU that did not answer, or was started in between
std::vector<nlohmann::ordered_json> activityBetween(const nlohmann::ordered_json &before,
                                                    const nlohmann::ordered_json &after,
                                                    std::chrono::duration<double> time);

struct WatchOptions {
  double seconds = 1;   ///< pause between two tables
  unsigned count = 0;   ///< number of tables; 0: until the user ends the program
  bool inPlace = false; ///< \p out is a terminal: each table replaces the one before
};

/// Prints the activity of the cluster repeatedly.
/// \param status  returns the result of statusOf() for the cluster
void watchCluster(const std::function<nlohmann::ordered_json()> &status,
                  const WatchOptions &options, std::ostream &out);

} // namespace copse::tools
