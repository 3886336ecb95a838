#pragma once

#include "graph/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// Returns for each function whether a walk over the programs may follow its calls, shape
/// [functions]. Not if nested calls would make the walk much longer than the programs.
std::vector<bool> functionsToFollow(const graph::Model &model,
                                    std::span<const graph::ProgramPtr> programs);

} // namespace copse::compiler
