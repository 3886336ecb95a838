#pragma once

#include "service.hpp"

#include "fabric/metrics.hpp"

#include <vector>

namespace copse::remote_buffers {

/// What Prometheus is told of an rbufd; docs/metrics.md explains each.
std::vector<fabric::Metric> metricsOf(const Service &service);

} // namespace copse::remote_buffers
