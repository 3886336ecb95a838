#pragma once

#include "summary_page.hpp"

#include "poplar/ProfileValue.hpp"
#include "profile/summary_options.hpp"

namespace copse::profile {

/// Prints the blocks of a graph profile. Source: guide, 8.2.3.
/// \param profile  from graphProfileOf() or a file
/// \throws poplar::index_error, poplar::type_error if \p profile is anything else
void printGraph(Page &page, const poplar::ProfileValue &profile, const ReportOptions &options);

/// Prints the variables that are live at each step of the programs (showVarStorage).
void printLiveness(Page &page, const poplar::ProfileValue &profile);

/// Prints the programs with only the names of their steps.
void printPrograms(Page &page, const poplar::ProfileValue &profile);

} // namespace copse::profile
