#pragma once

#include "graph/model.hpp"

#include <span>

namespace copse::graph {

/// What the programs name is in the graph: compute sets, functions, streams, remote buffers,
/// elements of variables. A program of another graph is found out, unless that has as many of
/// everything.
/// \throws poplar::control_program_error
void checkReferences(const Model &model, std::span<const ProgramPtr> programs);

} // namespace copse::graph
