#pragma once

#include "metrics/metrics.hpp"

#include "ipud/figures.hpp"

#include <vector>

namespace copse::ipud {

/// Returns \p figures as metrics with the names of docs/metrics.md.
std::vector<metrics::Metric> metricsOf(const Figures &figures);

} // namespace copse::ipud
