#include "profile/run_trace.hpp"

#include "execution_replay.hpp"
#include "graph_report.hpp"

#include "profile/report_values.hpp"

#include <string>

namespace copse::profile {
namespace {

constexpr std::uint32_t kModelledGroup = 1, kWallGroup = 2;

std::string nameOfStep(const ReportData &report, std::uint32_t step) {
  const std::string &name = report.programs[report.steps[step].program].name;
  return name.empty() ? nameOf(report.steps[step].kind) : name;
}

/// "run 0: name".
std::string nameOfRun(const RunRecord &run) {
  return "run " + std::to_string(run.program) + (run.name.empty() ? "" : ": " + run.name);
}

} // namespace

void traceRun(types::Trace &trace, const poplar::Executable::Impl &executable, const RunRecord &run,
              const RunObservations &observed, WallSpan wall) {
  ReportData report = reportOfGraph(executable);
  ExecutionReplay(executable).add(run, observed, report);
  const RunRecord &recorded = report.runs.front();
  const auto microseconds = [&](std::uint64_t cycles) {
    return wall.from + static_cast<double>(cycles - recorded.from) / report.target.clockHz * 1e6;
  };
  for (std::uint32_t ipu = 0; ipu < report.target.ipus; ++ipu) {
    const types::Trace::Row modelled{kModelledGroup, ipu}, real{kWallGroup, ipu};
    const std::string name = "IPU " + std::to_string(ipu);
    trace.nameRow(modelled, "IPUs, modelled clock", name);
    trace.nameRow(real, "IPUs, wall clock", name);
    trace.stretch(real, "run", nameOfRun(recorded), wall.from, wall.to);
    for (std::uint32_t s = 0; s < recorded.steps; ++s) {
      const std::uint64_t from = report.startOf(recorded, s, ipu), to = report.endOf(s, ipu);
      if (from < to)
        trace.stretch(modelled, nameOf(report.steps[s].kind), nameOfStep(report, s),
                      microseconds(from), microseconds(to));
    }
  }
}

} // namespace copse::profile
