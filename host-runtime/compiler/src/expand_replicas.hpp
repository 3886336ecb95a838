#pragma once

#include "compiler/compute_set_lowering.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// A model in which every replica of Graph::createReplicatedGraph has its own vertices, edges and
/// copies, and nothing refers to replicated variables.
struct ExpandedModel {
  graph::Model model;
  std::vector<graph::ProgramPtr> programs;
  std::vector<std::uint32_t> origins; ///< shape [vertices]: index of the user's vertex

  /// Returns an estimate for the instances, given the estimate for the user's vertices.
  CycleEstimate estimate(CycleEstimate ofOrigin) const;
};

/// Expands the replicas of a model. This pass runs before all others, if the model has
/// replications.
///
/// A program of a replicated graph runs on all replicas at once. Only programs that a replicated
/// predicate controls are expanded for each replica in turn, with compute sets that contain only
/// that replica's vertices; such programs can neither communicate nor run programs of the parent
/// graph.
/// \throws poplar::graph_replication_error if a program combines incompatible tensors
ExpandedModel expandReplicas(const graph::Model &model,
                             std::span<const graph::ProgramPtr> programs);

} // namespace copse::compiler
