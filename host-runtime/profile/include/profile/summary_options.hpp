#pragma once

#include "poplar/OptionFlags.hpp"

#include <optional>

namespace copse::profile {

/// Options of printProfileSummary and its relatives.  Source: guide, 8.2.
struct ReportOptions {
  std::optional<bool> colours; ///< empty: as the terminal, CLICOLOR and CLICOLOR_FORCE decide
  bool showVarStorage = false;
  bool showExecutionSteps = false;
  bool showOptimizations = false;
  bool showPerIpuMemoryUsage = false;
};

/// \throws poplar::invalid_option
ReportOptions parseReportOptions(const poplar::OptionFlags &flags);

} // namespace copse::profile
