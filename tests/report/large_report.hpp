#pragma once

#include "profile/profile_data.hpp"

#include <cstdint>

namespace copse::test {

/// A profile as a large model has it: invented figures, but all of them.
/// \param steps  that ran, in one run
profile::ReportData largeReport(std::uint32_t ipus, std::uint32_t tilesPerIpu, std::uint32_t steps);

} // namespace copse::test
