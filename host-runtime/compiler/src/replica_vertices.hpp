#pragma once

#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace copse::compiler {

/// Copies the vertices of one model to another, once for each replica.
class ReplicaVertices {
public:
  ReplicaVertices(const graph::Model &from, graph::Model &to);

  /// Adds all vertices to their original compute sets.
  void addAll();
  /// Returns the compute set with only \p replica's vertices of \p computeSet.
  /// \param user  the program that needs it, for messages
  /// \throws poplar::graph_replication_error if a vertex is not replicated
  std::uint32_t computeSetOf(std::uint32_t computeSet, std::uint32_t replica,
                             const std::string &user);

  std::vector<std::uint32_t> takeOrigins() { return std::move(origins_); }

private:
  std::uint32_t replicasOf(std::uint32_t vertex) const;
  void add(std::uint32_t vertex, std::uint32_t replica, std::uint32_t computeSet);
  void addEdge(const graph::Edge &edge, std::uint32_t replica, std::uint32_t vertex);

  const graph::Model &from_;
  graph::Model &to_;
  VertexIndex index_; ///< index of from_
  std::vector<std::uint32_t> origins_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> split_; ///< set, replica -> set
};

} // namespace copse::compiler
