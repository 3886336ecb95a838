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

/// What an engine remembers of its runs, and the reports that come of it. Remembering a run is a
/// line, and what its vertices counted; what its steps cost is worked out when somebody asks (ExecutionReplay).
class ProfileRecorder {
public:
  /// Runs are recorded from the start if the options ask for instrumentation, or on a model device.
  ProfileRecorder(std::shared_ptr<const poplar::Executable::Impl> executable,
                  const types::EngineOptions &options);

  void enable() { enabled_ = true; }
  void disable() { enabled_ = false; }
  void reset() { runs_.clear(); }

  /// Whether the next run is kept: fewer than autoReport.executionProfileProgramRunCount are.
  bool keepsNextRun() const { return enabled_ && runs_.size() < files_.runs; }
  /// Whether some vertices show only in a run what they take.
  bool needsMeasuredCycles() const;
  /// A run has ended.
  void ran(unsigned program, const std::string &name, wire::Cycles from, wire::Cycles to,
           RunObservations observed);

  ReportData report(bool withExecution) const;

  /// Where profile.pop is, if it is written at all.
  std::string file() const;

private:
  /// Writes profile.pop as autoReport.* has it.
  /// \throws poplar::file_load_error
  void writeFile() const;

  std::shared_ptr<const poplar::Executable::Impl> executable_;
  types::ReportFiles files_;
  types::ProfileFilters filters_;
  struct Run {
    RunRecord record;
    std::shared_ptr<const RunObservations> observed; ///< of equal ones there is one
  };
  bool enabled_;
  bool
      hostExchanges_; ///< debug.instrumentExternalExchange: blocks() lists them under a filter, too
  std::vector<Run> runs_;
};

} // namespace copse::profile
