#include "replica_vertices.hpp"

#include "graph/replicas.hpp"
#include "poplar/exceptions.hpp"

namespace copse::compiler {

ReplicaVertices::ReplicaVertices(const graph::Model &from, graph::Model &to)
    : from_(from), to_(to), index_(from) {
  to_.vertices.clear();
  to_.edges.clear();
  to_.runs.clear();
  to_.fieldValues.clear();
  to_.fieldSizes.clear();
}

std::uint32_t ReplicaVertices::replicasOf(std::uint32_t vertex) const {
  const std::uint32_t replication = from_.vertices[vertex].replication;
  return replication == graph::kNotReplicated ? 1 : from_.replications[replication].replicas();
}

void ReplicaVertices::addAll() {
  for (std::uint32_t vertex = 0; vertex < from_.vertices.size(); ++vertex)
    for (std::uint32_t replica = 0; replica < replicasOf(vertex); ++replica)
      add(vertex, replica, from_.vertices[vertex].computeSet);
}

std::uint32_t ReplicaVertices::computeSetOf(std::uint32_t computeSet, std::uint32_t replica,
                                            const std::string &user) {
  const auto next = static_cast<std::uint32_t>(to_.computeSets.size());
  const auto [known, isNew] = split_.try_emplace({computeSet, replica}, next);
  if (!isNew)
    return known->second;
  const std::string name = from_.computeSets[computeSet].name;
  to_.computeSets.push_back({name + "/replica" + std::to_string(replica)});
  for (const std::uint32_t vertex : index_.vertices[computeSet]) {
    if (from_.vertices[vertex].replication == graph::kNotReplicated)
      throw poplar::graph_replication_error(
          user + ": one replica alone cannot run compute set '" + name + "', because vertex '" +
          from_.vertexTypes[from_.vertices[vertex].type].name + "' in it belongs to all of them");
    add(vertex, replica, next);
  }
  return next;
}

void ReplicaVertices::add(std::uint32_t origin, std::uint32_t replica, std::uint32_t computeSet) {
  const auto id = static_cast<std::uint32_t>(to_.vertices.size());
  graph::Vertex vertex = from_.vertices[origin];
  vertex.computeSet = computeSet;
  if (vertex.replication != graph::kNotReplicated)
    vertex.tile = from_.replications[vertex.replication].tileOf(vertex.tile, replica);
  to_.vertices.push_back(vertex);
  origins_.push_back(origin);
  for (const std::uint32_t edge : index_.edges[origin])
    addEdge(from_.edges[edge], replica, id);
  for (const std::uint32_t value : index_.values[origin]) {
    to_.fieldValues.push_back(from_.fieldValues[value]);
    to_.fieldValues.back().vertex = id;
  }
  for (const std::uint32_t size : index_.sizes[origin]) {
    to_.fieldSizes.push_back(from_.fieldSizes[size]);
    to_.fieldSizes.back().vertex = id;
  }
}

void ReplicaVertices::addEdge(const graph::Edge &edge, std::uint32_t replica,
                              std::uint32_t vertex) {
  to_.edges.push_back(edge);
  to_.edges.back().vertex = vertex;
  to_.edges.back().runs.first = to_.runs.size();
  for (std::uint64_t i = 0; i < edge.runs.count; ++i)
    to_.runs.push_back(graph::instanceOf(from_, from_.runs[edge.runs.first + i], replica));
}

} // namespace copse::compiler
