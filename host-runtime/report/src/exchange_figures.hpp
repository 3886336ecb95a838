#pragma once

#include "profile/profile_data.hpp"

#include <nlohmann/json.hpp>

namespace copse::report {

/// Bytes that left the chips: over IPU-Links, streams and remote buffers; README.md lists the figures.
nlohmann::json exchangeFigures(const profile::ReportData &data);

} // namespace copse::report
