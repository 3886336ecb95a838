#include "expand_replicas.hpp"

#include "replica_programs.hpp"
#include "replica_vertices.hpp"

namespace copse::compiler {

CycleEstimate ExpandedModel::estimate(CycleEstimate ofOrigin) const {
  return [this, ofOrigin = std::move(ofOrigin)](std::uint32_t vertex) {
    return ofOrigin(origins[vertex]);
  };
}

ExpandedModel expandReplicas(const graph::Model &model,
                             std::span<const graph::ProgramPtr> programs) {
  ExpandedModel expanded{model, {}, {}};
  ReplicaVertices vertices(model, expanded.model);
  vertices.addAll();
  ReplicaPrograms expansion(model, expanded.model, vertices);
  expansion.expandFunctions();
  for (const graph::ProgramPtr &program : programs)
    expanded.programs.push_back(expansion.expand(program));
  expanded.origins = vertices.takeOrigins();
  // No reference to these is left; the other variables keep their numbers.
  for (graph::Variable &variable : expanded.model.variables)
    if (variable.replication != graph::kNotReplicated) {
      graph::Variable nothing;
      nothing.name = variable.name;
      nothing.type = variable.type;
      nothing.shape = {0};
      variable = std::move(nothing);
    }
  expanded.model.replications.clear();
  return expanded;
}

} // namespace copse::compiler
