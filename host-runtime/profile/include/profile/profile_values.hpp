#pragma once

#include "poplar/ProfileValue.hpp"
#include "profile/profile_data.hpp"

namespace copse::profile {

/// The compilation as the JSON-like value that getGraphProfile gives: maps "target", "graph",
/// "memory" (with "byTile", in order of tile, and bytes by region and by category), "liveness" and
/// "optimizations", lists "vertexTypes", "computeSets" and "programs". README.md lists all members.
poplar::ProfileValue graphProfileOf(const ReportData &report);

/// The execution as getExecutionProfile gives it: "runs", "steps", "cycles" by kind of step
/// [modelled cycles] over all steps that are listed, and "tileCycles", which are summed over tiles. A run has
/// "cycles" by kind of step over all its steps, if they are known. Empty without an execution.
poplar::ProfileValue executionProfileOf(const ReportData &report);

/// "compute", "internalExchange", ...
const char *nameOf(StepKind kind);
/// "DoExchange", "OnTileExecute", ...
const char *nameOf(pva::Program::Type type);
/// "variable", "message", ...
const char *nameOf(MemoryUse use);

} // namespace copse::profile
