#pragma once

#include "poplar/ProfileValue.hpp"
#include "profile/report_data.hpp"

namespace copse::profile {

/// The compilation as the JSON-like value that getGraphProfile gives: maps "target", "graph",
/// "memory" (with "byTile", in order of tile, and "byCategory"), lists "vertexTypes",
/// "computeSets" and "programs".
poplar::ProfileValue graphProfileOf(const ReportData &report);

/// The execution as getExecutionProfile gives it: "runs", "steps", and "cycles" by kind of step
/// [modelled cycles] over all steps that are listed. A run has "cycles" by kind of step over all its
/// steps, if they are known. Empty without an execution.
poplar::ProfileValue executionProfileOf(const ReportData &report);

/// "compute", "internalExchange", ...
const char *nameOf(StepKind kind);

} // namespace copse::profile
