#include "profile/profile_recorder.hpp"

#include "execution_replay.hpp"
#include "graph_report.hpp"
#include "profile_filter.hpp"

#include "poplar/exceptions.hpp"
#include "profile/auto_report_files.hpp"
#include "wire/vertex_cycles.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace copse::profile {

namespace {

constexpr const char *kName = "profile.pop";

/// Returns true if an execution profile is requested; a filter implies that.
bool asksForExecution(const types::EngineOptions &options) {
  const types::InstrumentationOptions &what = options.instrumentation;
  const types::ProfileFilters &filters = options.profileFilters;
  return what.compute || what.externalExchange || what.controlFlow || !filters.programs.empty() ||
         !filters.blocks.empty();
}

} // namespace

ProfileRecorder::ProfileRecorder(std::shared_ptr<const poplar::Executable::Impl> executable,
                                 const types::EngineOptions &options)
    : executable_(std::move(executable)), files_(options.reports), filters_(options.profileFilters),
      enabled_(asksForExecution(options) ||
               executable_->target.getTargetType() == poplar::TargetType::IPU_MODEL),
      hostExchanges_(options.instrumentation.externalExchange) {
  if (files_.graphProfile)
    writeFile();
}

bool ProfileRecorder::needsMeasuredCycles() const {
  return std::ranges::any_of(executable_->program.images, wire::hasMeasuredVertices);
}

void ProfileRecorder::ran(unsigned program, const std::string &name, wire::Cycles from,
                          wire::Cycles to, RunObservations observed) {
  if (!keepsNextRun())
    return;
  const bool isAsBefore = !runs_.empty() && *runs_.back().observed == observed;
  RunRecord record;
  record.program = program;
  record.name = name;
  record.from = from.value;
  record.to = to.value;
  runs_.push_back({std::move(record),
                   isAsBefore ? runs_.back().observed
                              : std::make_shared<const RunObservations>(std::move(observed))});
  if (files_.executionProfile)
    writeFile();
}

ReportData ProfileRecorder::report(bool withExecution) const {
  ReportData report = reportOfGraph(*executable_);
  if (!withExecution || (runs_.empty() && !enabled_))
    return report;
  report.hasExecution = true;
  ExecutionReplay replay(*executable_);
  for (const Run &run : runs_)
    replay.add(run.record, *run.observed, report);
  filterExecution(filters_, hostExchanges_, report);
  return report;
}

std::string ProfileRecorder::file() const {
  return (std::filesystem::path(files_.directory) / kName).string();
}

void ProfileRecorder::writeFile() const {
  const std::string path = reportPath(files_, kName);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  writeReport(out, report(files_.executionProfile && !runs_.empty()));
  if (!out.flush())
    throw poplar::file_load_error("the profile '" + path +
                                  "' cannot be written; see autoReport.directory");
}

} // namespace copse::profile
