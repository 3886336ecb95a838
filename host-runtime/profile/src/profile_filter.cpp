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

} // namespace

void filterExecution(const types::ProfileFilters &filters, ReportData &report) {
  if (!filters.programs.empty()) {
    const std::vector<bool> wanted = matches(filters.programs, report);
    for (StepReport &step : report.steps)
      step.isListed = wanted[step.program];
  }
  if (!filters.blocks.empty()) {
    const std::vector<bool> wanted = matches(filters.blocks, report);
    for (std::size_t program = 0; program < wanted.size(); ++program)
      report.programs[program].hasBlocks = wanted[program];
  }
}

} // namespace copse::profile
