#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar {

/// Adds a tensor for the seeds of the random generators of every worker of every tile of \p graph,
/// which \p prog reads from then on.
///
/// The seeds are state of the program: what setHwSeeds() has set is what getHwSeeds() gives later,
/// also in later runs; each load starts with different ones on every worker. Stochastic rounding
/// and builtins that draw random numbers advance them.
/// \returns UNSIGNED_INT, shape [tiles, workers, 4], each tile's seeds on that tile
Tensor getHwSeeds(Graph &graph, program::Sequence &prog, const DebugContext &debugContext = {});

/// Sets the seeds, each time that \p prog runs.
/// \param seeds  as getHwSeeds() gives them
/// \throws poplar_error if its type or shape is another
void setHwSeeds(Graph &graph, const Tensor &seeds, program::Sequence &prog,
                const DebugContext &debugContext = {});

} // namespace poplar
