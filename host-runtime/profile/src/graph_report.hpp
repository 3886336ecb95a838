#pragma once

#include "compiler/executable_impl.hpp"
#include "profile/profile_data.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace copse::profile {

/// The number in a report of each compute set of an image: those are reported that some program runs.
std::vector<std::optional<std::uint32_t>> reportedNumbers(const wire::Image &image);

/// The compilation part of a report.
ReportData reportOfGraph(const poplar::Executable::Impl &executable);

} // namespace copse::profile
