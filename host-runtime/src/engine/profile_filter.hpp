#pragma once

#include "values/engine_options.hpp"
#include "values/report_data.hpp"

namespace copse::engine {

/// Leaves in \p report's execution the steps of programs, and the blocks, whose names the filters
/// match somewhere. Runs keep their cycles; those that lose steps are marked as not complete.
void filterExecution(const values::ProfileFilters &filters, values::ReportData &report);

} // namespace copse::engine
