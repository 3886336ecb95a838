#pragma once

#include "profile/profile_data.hpp"

#include <cstdint>

namespace copse::test {

/// Returns a profile of the size of a large model's: invented figures, but all of them.
/// \param steps  steps of one run
profile::ReportData largeReport(std::uint32_t ipus, std::uint32_t tilesPerIpu, std::uint32_t steps);

} // namespace copse::test
