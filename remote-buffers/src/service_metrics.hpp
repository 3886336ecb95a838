#pragma once

#include "metrics/metrics.hpp"
#include "service.hpp"

#include <cstdint>
#include <vector>

namespace copse::remote_buffers {

/// Returns the metrics of an rbufd; docs/metrics.md explains each of them.
/// \param refused  number of refused connections
std::vector<metrics::Metric> metricsOf(const Service &service, std::uint64_t refused);

} // namespace copse::remote_buffers
