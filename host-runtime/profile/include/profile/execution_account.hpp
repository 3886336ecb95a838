#pragma once

#include "profile/profile_data.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace copse::profile {

/// The work of the tiles of one replica in one step.
struct StepAccount {
  StepSpan span;
  std::uint64_t overlapped = 0; ///< cycles during which the previous step still ran on other IPUs
  std::uint64_t activeTiles = 0;
  std::uint64_t tileCycles = 0;          ///< sum over active tiles
  std::uint64_t maxTileCycles = 0;       ///< maximum over tiles
  std::uint64_t threadCycles = 0;        ///< compute set: sum over the workers of all tiles
  std::uint64_t bytes = 0, maxBytes = 0; ///< moved: by all tiles, maximum of a tile
};

/// How the tiles of one replica spent their time. Each cycle of each tile counts once.
struct ExecutionAccount {
  std::uint64_t tiles = 0;
  std::uint64_t cycles = 0;         ///< cycles of all runs, by the device's clock
  std::uint64_t recordedCycles = 0; ///< cycles of the recorded steps
  // Tile cycles, summed over tiles
  std::uint64_t compute = 0; ///< including idle workers
  std::uint64_t exchange = 0, globalExchange = 0, hostExchange = 0;
  std::uint64_t threadCycles = 0;  ///< cycles of workers that computed
  std::vector<VertexCycles> types; ///< vertex types of all compute sets, most cycles first

  /// Returns the remaining cycles: sync, and everything else that tiles wait for.
  std::uint64_t sync() const {
    return recordedCycles * tiles - compute - exchange - globalExchange - hostExchange;
  }
};

/// Computes accounts of steps. What does not depend on clocks is computed once for all executions
/// of a step.
class StepAccounts {
public:
  /// \param report  must outlive this object
  explicit StepAccounts(const ReportData &report) : report_(report) {}

  StepAccount of(const RunRecord &run, std::uint32_t step);

private:
  /// The part of a step's account that does not depend on clocks.
  struct Fixed {
    StepAccount account;
    std::vector<std::uint64_t> tilesOfIpu; ///< active tiles that take as long as the step
  };
  const Fixed &fixedOf(const StepReport &step);
  Fixed ofCost(const ComputeCost &cost) const;
  Fixed ofTraffic(const std::vector<TileTraffic> &traffic) const;

  const ReportData &report_;
  std::map<std::uint32_t, Fixed> byCost_, byProgram_;
};

ExecutionAccount accountOfExecution(const ReportData &report);

/// Returns the bytes of each link in all recorded steps, ascending by ends.
std::vector<LinkReport> linkBytes(const ReportData &report);

} // namespace copse::profile
