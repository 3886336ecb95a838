#pragma once

#include "metrics/metrics.hpp"
#include "service.hpp"

#include <cstdint>
#include <vector>

namespace copse::remote_buffers {

/// What Prometheus is told of an rbufd; docs/metrics.md explains each.
/// \param refused  connections that did not get in
std::vector<metrics::Metric> metricsOf(const Service &service, std::uint64_t refused);

} // namespace copse::remote_buffers
