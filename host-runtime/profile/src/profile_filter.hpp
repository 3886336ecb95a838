#pragma once

#include "profile/profile_data.hpp"
#include "types/engine_options.hpp"

namespace copse::profile {

/// Reduces \p report's execution to the steps of programs, and the blocks, whose names contain a
/// match of the filters. With any filter, Execution::blocks lists program::Blocks that match
/// `blocks`, steps of programs that match `programs` and, if \p hostExchanges, steps of host
/// exchanges.
void filterExecution(const types::ProfileFilters &filters, bool hostExchanges, ReportData &report);

} // namespace copse::profile
