#pragma once

#include "graph/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::graph {

/// Returns the compute sets that \p programs run, in the order of their first execution.
std::vector<std::uint32_t> computeSetsOf(const Model &model, std::span<const ProgramPtr> programs);

} // namespace copse::graph
