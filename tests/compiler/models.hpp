#pragma once

#include "graph/model.hpp"

#include <string>
#include <vector>

/// Small graph models, written by hand, for the tests of the compiler's passes.
namespace copse::test {

/// Returns a model of \p ipus IPUs of \p tiles tiles each, without anything on them.
inline graph::Model emptyModel(std::uint32_t ipus, std::uint32_t tiles) {
  graph::Model model;
  model.ipus = ipus;
  model.tilesPerIpu = tiles;
  return model;
}

/// Adds a float variable; \p tiles says which tile each element lies on.
inline graph::VariableId addVariable(graph::Model &model, const std::string &name,
                                     const std::vector<std::uint32_t> &tiles) {
  graph::Variable variable;
  variable.name = name;
  variable.type = graph::ElementType::Float;
  variable.elements = tiles.size();
  variable.shape = {tiles.size()};
  variable.tiles = graph::TileMap(tiles.size());
  for (std::uint64_t i = 0; i < tiles.size(); ++i)
    if (tiles[i] != graph::kNoTile)
      variable.tiles.set(i, i + 1, tiles[i]);
  model.variables.push_back(std::move(variable));
  return static_cast<graph::VariableId>(model.variables.size() - 1);
}

/// Adds a vertex type whose fields are float vectors (SPAN), named a, b, ... in order of \p
/// directions.
inline std::uint32_t addVertexType(graph::Model &model, const std::string &name,
                                   const std::vector<popc::FieldDirection> &directions) {
  popc::VertexType type;
  type.name = name;
  for (const popc::FieldDirection direction : directions) {
    popc::Field field;
    field.name = std::string(1, static_cast<char>('a' + type.fields.size()));
    field.direction = direction;
    field.kind = popc::FieldKind::Vector;
    field.type = graph::ElementType::Float;
    field.elementBytes = 4;
    field.minAlign = 4;
    field.outer = popc::Layout::Span;
    field.offset = static_cast<std::uint32_t>(8 * type.fields.size());
    field.bytes = 8;
    type.fields.push_back(field);
  }
  type.stateBytes = static_cast<std::uint32_t>(8 * type.fields.size());
  type.stateAlign = 4;
  model.vertexTypes.push_back(type);
  model.vertexTypeModule.push_back(0);
  return static_cast<std::uint32_t>(model.vertexTypes.size() - 1);
}

inline std::uint32_t addComputeSet(graph::Model &model, const std::string &name) {
  model.computeSets.push_back({name});
  return static_cast<std::uint32_t>(model.computeSets.size() - 1);
}

inline std::uint32_t addVertex(graph::Model &model, std::uint32_t computeSet, std::uint32_t type,
                               std::uint32_t tile) {
  graph::Vertex vertex;
  vertex.type = type;
  vertex.computeSet = computeSet;
  vertex.tile = tile;
  model.vertices.push_back(vertex);
  return static_cast<std::uint32_t>(model.vertices.size() - 1);
}

inline void connect(graph::Model &model, std::uint32_t vertex, std::uint16_t field,
                    const std::vector<graph::Run> &runs, std::uint32_t index = 0) {
  graph::Edge edge;
  edge.vertex = vertex;
  edge.field = field;
  edge.index = index;
  edge.runs = {model.runs.size(), static_cast<std::uint32_t>(runs.size())};
  for (const graph::Run &run : runs)
    edge.elements += run.count;
  model.runs.insert(model.runs.end(), runs.begin(), runs.end());
  model.edges.push_back(edge);
}

} // namespace copse::test
