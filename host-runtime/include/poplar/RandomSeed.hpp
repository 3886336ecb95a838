#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar {

/// Adds a tensor for the seeds of the random generators of every worker of every tile of \p graph,
/// which \p prog reads from then on.
///
/// The seeds are part of the program's state: they last from run to run, and each load starts every
/// worker with a different seed. Stochastic rounding and builtins that draw random numbers advance
/// the seeds.
/// \returns UNSIGNED_INT, shape [tiles, workers, 4], each tile's seeds on that tile
Tensor getHwSeeds(Graph &graph, program::Sequence &prog, const DebugContext &debugContext = {});

/// Sets the seeds, each time that \p prog runs.
/// \param seeds  a tensor like the result of getHwSeeds()
/// \throws poplar_error if \p seeds has another type or shape
void setHwSeeds(Graph &graph, const Tensor &seeds, program::Sequence &prog,
                const DebugContext &debugContext = {});

} // namespace poplar
