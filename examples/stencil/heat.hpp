#pragma once

#include "options.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <vector>

namespace stencil {

/// Part of the heat's difference to its neighbours that flows in one step.
constexpr float kRate = 0.2f;

/// Adds one replica's part of the plate to \p graph.
/// \returns takes the rows of "plate", takes the steps, sends the rows to "result" and the cycles
/// of all
///   steps, shape {2}, to "cycles"
poplar::program::Program buildHeat(poplar::Graph &graph, const Options &options);

/// Computes the same as diffuse() on the host, for comparison.
/// \param plate  shape {rows, columns}
std::vector<float> diffuseOnHost(std::vector<float> plate, const Options &options);

} // namespace stencil
