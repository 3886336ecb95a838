#pragma once

#include "workloads.hpp"

namespace scaling {

/// Returns a step of examples/digits_cnn: a convolutional network whose gradients gcl sums over the
/// replicas.
Work digitsWithGcl(poplar::Graph &graph, const Options &options, const Scale &scale);

} // namespace scaling
