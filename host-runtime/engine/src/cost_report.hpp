#pragma once

#include "machine/partition_clocks.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace copse::engine {

/// Tells `copse scale` where the time of each run goes, and what a run would take if a cost were
/// zero. Each run appends a line of JSON to the file $COPSE_COSTS:
///
///     {"program": 1, "replicas": 8, "ipus": 8, "clockHz": 1325000000, "cycles": 5120,
///      "costs": {"compute": 4000, ...}, "without": {"compute": 1120, ...}}
///
/// `costs` are those of the IPU that finished last. For `without`, a second set of clocks runs the
/// same program on a machine on which the cost takes no time.
class CostReport {
public:
  /// Makes clocks on which a cost takes no time.
  using MakeClocks = std::function<std::unique_ptr<machine::PartitionClocks>(machine::Cost free)>;

  /// Returns the report that $COPSE_COSTS requests; null if the variable is not set.
  static std::unique_ptr<CostReport> ofEnvironment(double clockHz, const MakeClocks &make);

  void setMeasured(const std::vector<wire::MeasuredCycles> &measured);
  /// Reports a run of program \p index.
  /// \param rows  the host's side of the other clocks
  /// \throws poplar::file_load_error if the file cannot be written
  void ran(std::uint32_t index, const machine::PartitionClocks &clocks, wire::Cycles start,
           std::uint32_t replicas, machine::HostRows &rows);

private:
  CostReport(std::string path, double clockHz, const MakeClocks &make);

  std::string path_;
  double clockHz_;
  std::vector<std::unique_ptr<machine::PartitionClocks>> without_; ///< shape [kCosts]
};

} // namespace copse::engine
