#include "profile_filter.hpp"

#include <regex>
#include <vector>

namespace copse::profile {
namespace {

/// For each program of the report, whether \p filter matches its name.
std::vector<bool> matches(const std::string &filter, const ReportData &report) {
  const std::regex expression(filter);
  std::vector<bool> matching;
  matching.reserve(report.programs.size());
  for (const ProgramReport &program : report.programs)
    matching.push_back(std::regex_search(program.name, expression));
  return matching;
}

void filterSteps(const std::vector<bool> &wanted, ReportData &report) {
  std::vector<StepReport> kept;
  for (RunRecord &run : report.runs) {
    const auto first = static_cast<std::uint32_t>(kept.size());
    for (std::uint32_t i = run.firstStep; i < run.firstStep + run.steps; ++i)
      if (wanted[report.steps[i].program])
        kept.push_back(std::move(report.steps[i]));
    const auto steps = static_cast<std::uint32_t>(kept.size()) - first;
    run.complete = run.complete && steps == run.steps;
    run.firstStep = first;
    run.steps = steps;
  }
  report.steps = std::move(kept);
}

} // namespace

void filterExecution(const types::ProfileFilters &filters, ReportData &report) {
  if (!filters.programs.empty())
    filterSteps(matches(filters.programs, report), report);
  if (!filters.blocks.empty()) {
    const std::vector<bool> wanted = matches(filters.blocks, report);
    std::erase_if(report.blocks, [&](const BlockReport &block) { return !wanted[block.program]; });
  }
}

} // namespace copse::profile
