#pragma once

#include "profile/profile_data.hpp"
#include "types/engine_options.hpp"

namespace copse::profile {

/// Leaves in \p report's execution the steps of programs, and the blocks, whose names the filters
/// match somewhere. With any filter, Execution::blocks lists program::Blocks that `blocks` matches,
/// steps of programs that `programs` matches and, if \p hostExchanges, those of host exchanges.
void filterExecution(const types::ProfileFilters &filters, bool hostExchanges, ReportData &report);

} // namespace copse::profile
