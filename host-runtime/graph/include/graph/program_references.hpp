#pragma once

#include "graph/model.hpp"

#include <span>

namespace copse::graph {

/// Checks that the programs refer only to what is in the graph: compute sets, functions, streams,
/// remote buffers, elements of variables. Detects a program of another graph, unless that graph has
/// at most as many of everything.
/// \throws poplar::control_program_error
void checkReferences(const Model &model, std::span<const ProgramPtr> programs);

} // namespace copse::graph
