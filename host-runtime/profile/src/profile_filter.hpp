#pragma once

#include "profile/report_data.hpp"
#include "types/engine_options.hpp"

namespace copse::profile {

/// Leaves in \p report's execution the steps of programs, and the blocks, whose names the filters
/// match somewhere. Runs keep their cycles; those that lose steps are marked as not complete.
void filterExecution(const types::ProfileFilters &filters, ReportData &report);

} // namespace copse::profile
