#pragma once

#include "compiler/executable_impl.hpp"
#include "profile/profile_data.hpp"
#include "profile/run_observations.hpp"
#include "types/engine_options.hpp"
#include "wire/ids.hpp"

#include <memory>
#include <string>
#include <vector>

namespace copse::profile {

/// Records the runs of an engine, and makes reports from them. A record consists of a line per run
/// and the counts of vertices, so recording is cheap; the costs of steps are computed when a report
/// is requested (ExecutionReplay).
class ProfileRecorder {
public:
  /// Starts to record at once if the options request instrumentation, or on a model device.
  ProfileRecorder(std::shared_ptr<const poplar::Executable::Impl> executable,
                  const types::EngineOptions &options);

  void enable() { enabled_ = true; }
  void disable() { enabled_ = false; }
  void reset() { runs_.clear(); }

  /// Returns true if the next run is recorded, because fewer than
  /// autoReport.executionProfileProgramRunCount runs are.
  bool keepsNextRun() const { return enabled_ && runs_.size() < files_.runs; }
  /// Returns true if only a run can tell the cycles of some vertices.
  bool needsMeasuredCycles() const;
  /// Records that a run has ended.
  void ran(unsigned program, const std::string &name, wire::Cycles from, wire::Cycles to,
           RunObservations observed);

  ReportData report(bool withExecution) const;

  /// Returns the path of profile.pop; empty if it is not written.
  std::string file() const;

private:
  /// Writes profile.pop as autoReport.* requires.
  /// \throws poplar::file_load_error
  void writeFile() const;

  std::shared_ptr<const poplar::Executable::Impl> executable_;
  types::ReportFiles files_;
  types::ProfileFilters filters_;
  struct Run {
    RunRecord record;
    std::shared_ptr<const RunObservations> observed; ///< shared by runs with equal observations
  };
  bool enabled_;
  /// Set by debug.instrumentExternalExchange: blocks() lists exchanges with the host, even under
  /// a filter.
  bool hostExchanges_;
  std::vector<Run> runs_;
};

} // namespace copse::profile
