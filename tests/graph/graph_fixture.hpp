#pragma once

#include "graph/access.hpp"
#include "graph/state.hpp"

#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <utility>
#include <vector>

/// Fixtures for tests of the graph: small targets, and vertex types without a compiler.
namespace copse::graph::test {

inline poplar::Target ipuTarget(unsigned ipus = 1, unsigned tilesPerIpu = 4) {
  return poplar::Target::createIPUTarget(ipus, tilesPerIpu, "ipu2");
}

using Elements = std::vector<std::pair<unsigned, std::size_t>>;

/// Returns the elements of a tensor, one by one.
inline Elements elementsOf(const poplar::Tensor &t) {
  Elements out;
  for (const poplar::VariableInterval &region : t.getVarRegions()) {
    for (std::size_t i = region.interval.begin(); i < region.interval.end(); ++i) {
      out.emplace_back(region.var.id, i);
    }
  }
  return out;
}

inline popc::Field field(const std::string &name, popc::FieldDirection direction,
                         popc::FieldKind kind, popc::ElementType type = popc::ElementType::Float,
                         std::uint32_t bytes = 4) {
  popc::Field f;
  f.name = name;
  f.direction = direction;
  f.kind = kind;
  f.type = type;
  f.elementBytes = bytes;
  return f;
}

/// Makes a vertex type known, as a codelet file would.
inline void addVertexType(poplar::Graph &graph, const std::string &name,
                          std::vector<popc::Field> fields) {
  Model &model = Access::state(graph)->model;
  popc::VertexType type;
  type.name = name;
  type.fields = std::move(fields);
  model.vertexTypeByName.emplace(name, static_cast<std::uint32_t>(model.vertexTypes.size()));
  model.vertexTypes.push_back(std::move(type));
  model.vertexTypeModule.push_back(0);
}

} // namespace copse::graph::test
