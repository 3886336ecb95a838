#pragma once

#include "compiler/compute_set_lowering.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// A model in which every replica of Graph::createReplicatedGraph has vertices, edges and copies of
/// its own, and nothing refers to a replicated variable any more.
struct ExpandedModel {
  graph::Model model;
  std::vector<graph::ProgramPtr> programs;
  std::vector<std::uint32_t> origins; ///< shape [vertices]: the vertex of the user's model

  /// What is known of the user's vertices holds for their instances.
  CycleEstimate estimate(CycleEstimate ofOrigin) const;
};

/// The pass before all others, for models with replications.
///
/// A program of a replicated graph runs on all replicas at once. Only what a replicated predicate
/// decides is written out for each replica in turn, with compute sets that hold nothing of the
/// others; so there replicas can neither communicate nor run programs of the parent graph.
/// \throws poplar::graph_replication_error if a program mixes what does not go together
ExpandedModel expandReplicas(const graph::Model &model,
                             std::span<const graph::ProgramPtr> programs);

} // namespace copse::compiler
