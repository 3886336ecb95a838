#pragma once

#include "workloads.hpp"

namespace scaling {

/// Returns a training step of examples/transformer: the blocks of a replica lie on its IPUs, and
/// gcl sums the gradients over the replicas. A sample is an excerpt.
/// \throws std::runtime_error if a replica has more IPUs than the model has blocks
Work transformerStep(poplar::Graph &graph, const Options &options, const Scale &scale);

} // namespace scaling
