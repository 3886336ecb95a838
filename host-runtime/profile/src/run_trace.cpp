#include "profile/run_trace.hpp"

#include "execution_replay.hpp"
#include "graph_report.hpp"

#include "profile/report_values.hpp"

#include <string>

namespace copse::profile {
namespace {

constexpr std::uint32_t kModelledGroup = 1, kWallGroup = 2;

/// \param program  of the report: the step of the image with its number
std::string nameOfStep(const ReportData &report, std::uint32_t program, StepKind kind) {
  const std::string &name = report.programs[program].name;
  return name.empty() ? nameOf(kind) : name;
}

StepKind kindOf(const ReportData &report, const wire::Image &image, std::uint32_t step) {
  switch (image.steps[step].op) {
  case wire::Op::ComputeSet:
    return StepKind::Compute;
  case wire::Op::Sync:
    return StepKind::Sync;
  case wire::Op::Exchange:
    return report.programs[step].type == pva::Program::Type::GlobalExchange
               ? StepKind::GlobalExchange
               : StepKind::InternalExchange;
  default: // no other is timed
    return StepKind::HostExchange;
  }
}

/// "run 0: name".
std::string nameOfRun(const RunRecord &run) {
  return "run " + std::to_string(run.program) + (run.name.empty() ? "" : ": " + run.name);
}

} // namespace

void traceRun(types::Trace &trace, const poplar::Executable::Impl &executable, const RunRecord &run,
              const RunObservations &observed, WallSpan wall,
              const std::vector<std::vector<TimedStep>> &steps) {
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
    const wire::Image &image = executable.program.images[ipu];
    for (const auto &[step, span] : ipu < steps.size() ? steps[ipu] : std::vector<TimedStep>{}) {
      const StepKind kind = kindOf(report, image, step);
      trace.stretch(real, nameOf(kind), nameOfStep(report, step, kind), span.from, span.to);
    }
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
