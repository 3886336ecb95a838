#pragma once

#include "poplar/ProfileValue.hpp"
#include "profile/profile_data.hpp"

namespace copse::profile {

/// Returns the compilation as the JSON-like value of getGraphProfile: maps "target", "graph",
/// "memory" (with "byTile" in order of tiles, and bytes by region and by category), "liveness" and
/// "optimizations", and lists "vertexTypes", "computeSets" and "programs". README.md lists all
/// members.
poplar::ProfileValue graphProfileOf(const ReportData &report);

/// Returns the execution as the value of getExecutionProfile: "runs", "steps", "cycles" by kind of
/// step [modelled cycles] over all listed steps, and "tileCycles", which are summed over tiles. A
/// run has "cycles" by kind over all its steps, if known. Empty without an execution.
poplar::ProfileValue executionProfileOf(const ReportData &report);

/// Returns "compute", "internalExchange", ...
const char *nameOf(StepKind kind);
/// Returns "DoExchange", "OnTileExecute", ...
const char *nameOf(pva::Program::Type type);
/// Returns "variable", "message", ...
const char *nameOf(MemoryUse use);

} // namespace copse::profile
