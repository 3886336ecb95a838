#include "profile_filter.hpp"

#include <regex>
#include <vector>

namespace copse::profile {
namespace {

/// For each of \p named, whether \p filter matches its name.
template <class Named>
std::vector<bool> matches(const std::string &filter, const std::vector<Named> &named) {
  const std::regex expression(filter);
  std::vector<bool> matching;
  matching.reserve(named.size());
  for (const Named &one : named)
    matching.push_back(std::regex_search(one.name, expression));
  return matching;
}

} // namespace

void filterExecution(const types::ProfileFilters &filters, ReportData &report) {
  if (!filters.programs.empty()) {
    const std::vector<bool> wanted = matches(filters.programs, report.programs);
    for (StepReport &step : report.steps)
      step.isListed = wanted[step.program];
  }
  if (!filters.blocks.empty()) {
    const std::vector<bool> wanted = matches(filters.blocks, report.programs);
    for (std::size_t program = 0; program < wanted.size(); ++program)
      report.programs[program].hasBlocks = wanted[program];
    const std::vector<bool> wantedBlocks = matches(filters.blocks, report.blocks);
    for (std::size_t block = 0; block < wantedBlocks.size(); ++block)
      report.blocks[block].isListed = wantedBlocks[block];
  }
}

} // namespace copse::profile
