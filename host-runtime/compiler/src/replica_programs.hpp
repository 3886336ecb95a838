#pragma once

#include "replica_vertices.hpp"

#include "graph/model.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace copse::compiler {

/// The model has one instance of each object of a replicated graph, and images need one per
/// replica. This class rewrites programs of replicated graphs as programs on the instances of their
/// variables, streams and compute sets (ReplicaVertices).
///
/// Life: expandFunctions() first, then expand() for each program.
class ReplicaPrograms {
public:
  ReplicaPrograms(const graph::Model &from, graph::Model &to, ReplicaVertices &vertices);

  /// Replaces the functions of the model.
  void expandFunctions();
  graph::ProgramPtr expand(const graph::ProgramPtr &program);

private:
  using Node = graph::ProgramNode;
  /// The replica that runs a program alone; empty: all replicas run it.
  using Lone = std::optional<std::uint32_t>;

  graph::ProgramPtr expand(const graph::ProgramPtr &program, Lone lone);
  graph::ProgramPtr expandNode(const Node &node, Lone lone);
  // One function for each kind of program, except kinds that only have children or run on each
  // replica.
  graph::ProgramPtr expandKind(const Node &node, const graph::kind::Execute &execute, Lone lone);
  graph::ProgramPtr expandKind(const Node &node, const graph::kind::Call &call, Lone lone);
  graph::ProgramPtr expandKind(const Node &node, const graph::kind::Copy &copy, Lone lone);
  graph::ProgramPtr expandKind(const Node &node, const graph::kind::CrossReplicaCopy &copy,
                               Lone lone);
  graph::ProgramPtr expandKind(const Node &node, const graph::kind::StreamCopy &copy, Lone lone);
  graph::ProgramPtr expandKind(const Node &node, const graph::kind::RemoteCopy &copy, Lone lone);
  graph::ProgramPtr expandKind(const Node &node, const graph::kind::PrintTensor &print, Lone lone);

  Node withChildren(const Node &node, Lone lone);
  graph::ProgramPtr onEach(const Node &node, std::uint32_t replicas, Lone lone);
  Node onReplica(const Node &node, std::uint32_t replica);
  graph::ProgramPtr broadcast(const Node &node, const graph::kind::StreamCopy &copy,
                              std::uint32_t replicas);
  /// Returns the copies between each replica's tensor and its own stream or remote buffer.
  /// \param index  the kind's member with the number of the stream or buffer
  template <class Kind>
  graph::ProgramPtr onInstances(const Node &node, std::uint32_t Kind::*index,
                                std::uint32_t instances, Lone lone);
  /// Expands a program that only reads a tensor, with shape {replicas, ...}, or for one replica.
  template <class Kind> graph::ProgramPtr look(const Node &node, Lone lone);

  std::uint32_t replicasOf(const Node &node) const;
  graph::TypedView all(const graph::TypedView &value, std::uint32_t replicas) const;

  const graph::Model &from_;
  graph::Model &to_;
  ReplicaVertices &vertices_;
  /// Function, replica -> function.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> loneFunctions_;
};

} // namespace copse::compiler
