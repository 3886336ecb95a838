#pragma once

#include "summary_page.hpp"

#include "poplar/ProfileValue.hpp"
#include "profile/summary_options.hpp"

namespace copse::profile {

/// Prints the blocks of an execution profile. Source: guide, 8.2.3.
/// \param profile  from executionProfileOf() or a file; empty if there was no execution
/// \throws poplar::index_error, poplar::type_error if \p profile is anything else
void printExecution(Page &page, const poplar::ProfileValue &profile, const ReportOptions &options);

} // namespace copse::profile
