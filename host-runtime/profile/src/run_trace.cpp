#include "profile/run_trace.hpp"

#include "execution_replay.hpp"
#include "graph_report.hpp"

#include "profile/profile_values.hpp"

#include <algorithm>
#include <string>

namespace copse::profile {
namespace {

constexpr std::uint32_t kModelledGroup = 1, kWallGroup = 2;

/// \param program  number of the step in the report, which equals its number in the image
std::string nameOfStep(const ReportData &report, std::uint32_t program, StepKind kind) {
  const std::string &name = report.programs[program].name;
  return name.empty() ? nameOf(kind) : name;
}

/// Writes the steps of one IPU on the wall clock. The IPU begins its run slightly after the host
/// does; that delay is unknown and ignored.
void traceSteps(types::Trace &trace, types::Trace::Row row, const ReportData &report,
                const wire::Image &image, WallSpan run, const wire::StepTimes &times) {
  const auto onHost = [&](std::uint64_t nanoseconds) {
    return std::min(run.from + static_cast<double>(nanoseconds) * 1e-3, run.to);
  };
  for (const wire::StepTime &time : times.steps) {
    const auto step = static_cast<std::uint32_t>(time.step);
    if (const auto kind = clock::kindOf(image, image.steps[step]))
      trace.stretch(row, nameOf(*kind), nameOfStep(report, step, *kind), onHost(time.begin),
                    onHost(time.end));
  }
}

/// Returns "run 0: name".
std::string nameOfRun(const RunRecord &run) {
  return "run " + std::to_string(run.program) + (run.name.empty() ? "" : ": " + run.name);
}

} // namespace

void traceRun(types::Trace &trace, const poplar::Executable::Impl &executable, const RunRecord &run,
              const RunObservations &observed, WallSpan wall,
              const std::vector<wire::StepTimes> &times) {
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
    if (ipu < times.size())
      traceSteps(trace, real, report, executable.program.images.front(), wall, times[ipu]);
    for (std::uint32_t s = 0; s < recorded.steps; ++s) {
      const std::uint64_t from = report.startOf(recorded, s, ipu), to = report.endOf(s, ipu);
      if (from < to)
        trace.stretch(modelled, nameOf(report.steps[s].kind),
                      nameOfStep(report, report.steps[s].program, report.steps[s].kind),
                      microseconds(from), microseconds(to));
    }
  }
}

} // namespace copse::profile
