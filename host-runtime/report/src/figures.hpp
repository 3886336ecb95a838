#pragma once

#include "profile/profile_data.hpp"

#include <nlohmann/json.hpp>

/// The figures on the page; README.md lists them.
namespace copse::report {

/// Returns tile memory by category, addresses, liveness, variables.
nlohmann::json memoryFigures(const profile::ReportData &data);

/// Returns steps on every IPU, their costs, waits. Null without a run.
nlohmann::json executionFigures(const profile::ReportData &data);

/// Returns bytes that left the chips: over IPU-Links, streams and remote buffers.
nlohmann::json exchangeFigures(const profile::ReportData &data);

} // namespace copse::report
