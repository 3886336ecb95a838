#pragma once

#include "summary_page.hpp"

#include "poplar/ProfileValue.hpp"
#include "profile/summary_options.hpp"

namespace copse::profile {

/// The blocks of an execution profile.  Source: guide, 8.2.3.
/// \param profile  of executionProfileOf(), perhaps from a file; empty: there was no execution
/// \throws poplar::index_error, poplar::type_error if it is something else
void printExecution(Page &page, const poplar::ProfileValue &profile, const ReportOptions &options);

} // namespace copse::profile
