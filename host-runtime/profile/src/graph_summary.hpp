#pragma once

#include "summary_page.hpp"

#include "poplar/ProfileValue.hpp"
#include "profile/summary_options.hpp"

namespace copse::profile {

/// The blocks of a graph profile.  Source: guide, 8.2.3.
/// \param profile  of graphProfileOf(), perhaps from a file
/// \throws poplar::index_error, poplar::type_error if it is something else
void printGraph(Page &page, const poplar::ProfileValue &profile, const ReportOptions &options);

/// Variables that are live at each step of the programs: the block of showVarStorage.
void printLiveness(Page &page, const poplar::ProfileValue &profile);

/// The same programs with nothing but the names of their steps.
void printPrograms(Page &page, const poplar::ProfileValue &profile);

} // namespace copse::profile
