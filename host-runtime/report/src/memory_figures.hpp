#pragma once

#include "profile/profile_data.hpp"

#include <nlohmann/json.hpp>

namespace copse::report {

/// Tile memory by category, addresses, liveness, variables; README.md lists the figures.
nlohmann::json memoryFigures(const profile::ReportData &data);

} // namespace copse::report
