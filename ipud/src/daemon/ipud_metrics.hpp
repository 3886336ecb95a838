#pragma once

#include "metrics/metrics.hpp"

#include "ipud/figures.hpp"

#include <vector>

namespace copse::ipud {

/// The figures under the names of docs/metrics.md.
std::vector<metrics::Metric> metricsOf(const Figures &figures);

} // namespace copse::ipud
