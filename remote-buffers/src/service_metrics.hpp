#pragma once

#include "metrics/metrics.hpp"
#include "service.hpp"

#include <vector>

namespace copse::remote_buffers {

/// What Prometheus is told of an rbufd; docs/metrics.md explains each.
std::vector<metrics::Metric> metricsOf(const Service &service);

} // namespace copse::remote_buffers
