#pragma once

#include "workloads.hpp"

/// Workloads whose data and computation have the sizes that the options ask for.
namespace scaling {

/// Returns the work of a training step: a micro-batch comes from the host, activations pass from
/// IPU to IPU of a replica, and are worked on; gradients of all micro-batches are summed over all
/// replicas by a ring all-reduce.
Work training(poplar::Graph &graph, const Options &options, const Scale &scale);

/// Rows are exchanged with the replicas above and below, and the samples of a step are worked on.
Work stencil(poplar::Graph &graph, const Options &options, const Scale &scale);

/// Returns work on streams: a micro-batch comes from the host, is worked on, and a result goes
/// back.
Work streamed(poplar::Graph &graph, const Options &options, const Scale &scale);

} // namespace scaling
