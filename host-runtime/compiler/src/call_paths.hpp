#pragma once

#include "graph/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// Shape [functions]: may a walk over the programs follow each call into the function? Not where it
/// would take many more steps than the programs have, because functions call functions.
std::vector<bool> functionsToFollow(const graph::Model &model,
                                    std::span<const graph::ProgramPtr> programs);

} // namespace copse::compiler
