#pragma once

#include "profile/profile_data.hpp"

#include <nlohmann/json.hpp>

namespace copse::report {

/// Steps on every IPU, their costs, waits; README.md lists the figures. Null without a run.
nlohmann::json executionFigures(const profile::ReportData &data);

} // namespace copse::report
