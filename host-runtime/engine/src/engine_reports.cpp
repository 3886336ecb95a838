#include "engine_impl.hpp"
#include "pva/pva.hpp"

#include "poplar/Engine.hpp"
#include "profile/profile_values.hpp"

#include <chrono>
#include <ostream>
#include <sstream>
#include <string>

/// The reports of an engine.
namespace poplar {

using copse::profile::executionProfileOf;
using copse::profile::graphProfileOf;
using copse::profile::ReportData;

pva::Report Engine::getReport(bool reportExecution) {
  return pva::Report(std::make_shared<const ReportData>(impl_->recorder().report(reportExecution)));
}

ProfileValue Engine::getGraphProfile() { return graphProfileOf(impl_->recorder().report(false)); }

ProfileValue Engine::getExecutionProfile() {
  return executionProfileOf(impl_->recorder().report(true));
}

ProfileValue Engine::getProfile() {
  const ReportData report = impl_->recorder().report(true);
  return ProfileValue::Map{{"graphProfile", graphProfileOf(report)},
                           {"executionProfile", executionProfileOf(report)}};
}

void Engine::printProfileSummary(std::ostream &out, const OptionFlags &options) {
  const ReportData report = impl_->recorder().report(true);
  poplar::printProfileSummary(out, graphProfileOf(report), executionProfileOf(report), options);
}

void Engine::resetExecutionProfile() { impl_->recorder().reset(); }
void Engine::enableExecutionProfiling() { impl_->recorder().enable(); }
void Engine::disableExecutionProfiling() { impl_->recorder().disable(); }

void Engine::reportIntervals(std::ostream &out) {
  const ReportData report = impl_->recorder().report(true);
  out << "program,type,from,to,name\n";
  for (const auto &run : report.runs)
    for (std::uint32_t i = run.firstStep; i < run.firstStep + run.steps; ++i) {
      const auto &step = report.steps[i];
      if (!step.isListed)
        continue;
      const copse::profile::StepSpan span = spanOf(report, run, i);
      std::string name = report.programs[step.program].name;
      for (std::size_t at = name.find('"'); at != std::string::npos; at = name.find('"', at + 2))
        name.insert(at, 1, '"');
      out << run.program << ',' << copse::profile::nameOf(step.kind) << ',' << span.from << ','
          << span.to << ",\"" << name << "\"\n";
    }
}

std::string Engine::reportTiming(const TimePoint &start, const TimePoint &end) {
  std::ostringstream line;
  line << "time between two stamps: "
       << std::chrono::duration<double, std::milli>(end - start).count() << " ms";
  return line.str();
}

} // namespace poplar
