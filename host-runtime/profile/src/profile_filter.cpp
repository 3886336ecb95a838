#include "profile_filter.hpp"

#include <regex>
#include <vector>

namespace copse::profile {
namespace {

/// Returns for each of \p named whether its name matches the regular expression \p filter; an empty
/// filter matches none.
template <class Named>
std::vector<bool> matches(const std::string &filter, const std::vector<Named> &named) {
  std::vector<bool> matching(named.size(), false);
  if (filter.empty())
    return matching;
  const std::regex expression(filter);
  for (std::size_t i = 0; i < named.size(); ++i)
    matching[i] = std::regex_search(named[i].name, expression);
  return matching;
}

bool isHostExchange(const ProgramReport &program) {
  using Type = pva::Program::Type;
  return program.type == Type::StreamCopyBegin || program.type == Type::StreamCopyMid ||
         program.type == Type::StreamCopyEnd;
}

} // namespace

void filterExecution(const types::ProfileFilters &filters, bool hostExchanges, ReportData &report) {
  if (filters.programs.empty() && filters.blocks.empty())
    return;
  const std::vector<bool> programs = matches(filters.programs, report.programs);
  if (!filters.programs.empty())
    for (StepReport &step : report.steps)
      step.isListed = programs[step.program];
  for (std::size_t i = 0; i < programs.size(); ++i) {
    ProgramReport &program = report.programs[i];
    program.hasBlocks = programs[i] || (hostExchanges && isHostExchange(program));
  }
  const std::vector<bool> blocks = matches(filters.blocks, report.blocks);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    report.blocks[i].isListed = blocks[i];
}

} // namespace copse::profile
