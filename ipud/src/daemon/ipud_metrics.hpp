#pragma once

#include "fabric/metrics.hpp"
#include "ipud/figures.hpp"

#include <vector>

namespace copse::ipud {

/// The figures under the names of docs/metrics.md.
std::vector<fabric::Metric> metricsOf(const Figures &figures);

} // namespace copse::ipud
