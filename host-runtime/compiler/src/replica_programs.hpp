#pragma once

#include "replica_vertices.hpp"

#include "graph/model.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace copse::compiler {

/// Writes programs of replicated graphs as programs on the instances of their variables.
class ReplicaPrograms {
public:
  ReplicaPrograms(const graph::Model &from, graph::Model &to, ReplicaVertices &vertices);

  /// Replaces the functions of the model.
  void expandFunctions();
  graph::ProgramPtr expand(const graph::ProgramPtr &program);

private:
  using Node = graph::ProgramNode;
  /// The replica that runs a program while the others do not; none: all run it.
  using Lone = std::optional<std::uint32_t>;

  graph::ProgramPtr expand(const graph::ProgramPtr &program, Lone lone);
  graph::ProgramPtr expandNode(const Node &node, Lone lone);
  Node withChildren(const Node &node, Lone lone);
  graph::ProgramPtr onEach(const Node &node, std::uint32_t replicas, Lone lone);
  Node onReplica(const Node &node, std::uint32_t replica);
  graph::ProgramPtr execute(const Node &node, Lone lone);
  graph::ProgramPtr call(const Node &node, Lone lone);
  graph::ProgramPtr copy(const Node &node, Lone lone);
  graph::ProgramPtr crossReplicaCopy(const Node &node, Lone lone);
  graph::ProgramPtr stream(const Node &node, Lone lone);
  graph::ProgramPtr broadcast(const Node &node, std::uint32_t replicas);
  graph::ProgramPtr remoteCopy(const Node &node, Lone lone);
  graph::ProgramPtr onInstances(const Node &node, std::uint32_t instances, Lone lone);
  graph::ProgramPtr look(const Node &node, Lone lone);

  std::uint32_t replicasOf(const Node &node) const;
  std::uint32_t instancesBehind(const Node &node) const;
  graph::TypedView all(const graph::TypedView &value, std::uint32_t replicas) const;

  const graph::Model &from_;
  graph::Model &to_;
  ReplicaVertices &vertices_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      loneFunctions_; ///< function, replica -> function
};

} // namespace copse::compiler
