#pragma once

#include "compiler/executable_impl.hpp"
#include "profile/profile_data.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace copse::profile {

/// Returns the number in a report of each compute set of an image; only compute sets that some
/// program runs are reported.
std::vector<std::optional<std::uint32_t>> reportedNumbers(const wire::Image &image);

/// Returns the compilation part of a report.
ReportData reportOfGraph(const poplar::Executable::Impl &executable);

} // namespace copse::profile
