#include "input_values.hpp"

#include <map>
#include <tuple>
#include <utility>

namespace copse::compiler {

namespace {

using graph::Model;
using popc::FieldDirection;

/// Identifies an edge's target: vertex, field, index of the entry.
using Position = std::tuple<std::uint32_t, std::uint16_t, std::uint32_t>;

const popc::Field &fieldOf(const Model &model, std::uint32_t vertex, std::uint16_t field) {
  return model.vertexTypes[model.vertices[vertex].type].fields[field];
}

/// Returns true for values of an input, or of the rows of a Vector<Vector<T>>, to which pointers
/// refer.
bool hasOwnMemory(const Model &model, const graph::FieldValue &value) {
  const popc::Field &field = fieldOf(model, value.vertex, value.field);
  return field.direction == FieldDirection::Input ||
         (field.direction == FieldDirection::State &&
          field.kind == popc::FieldKind::VectorOfVectors);
}

std::map<Position, const graph::FieldValue *> valuesWithMemory(const Model &model) {
  std::map<Position, const graph::FieldValue *> values;
  for (const graph::FieldValue &value : model.fieldValues)
    if (hasOwnMemory(model, value))
      values[{value.vertex, value.field, value.index}] = &value; // the last value wins
  return values;
}

graph::Variable constantOf(const Model &model, const graph::FieldValue &value) {
  graph::Variable constant;
  constant.type = fieldOf(model, value.vertex, value.field).type;
  constant.shape = {value.elements};
  constant.elements = value.elements;
  constant.constant = true;
  constant.tiles = graph::TileMap(value.elements);
  if (const std::uint32_t tile = model.vertices[value.vertex].tile; tile != graph::kNoTile)
    constant.tiles.set(0, value.elements, tile);
  constant.initial.push_back({0, value.elements, 1, value.bytes});
  return constant;
}

void connectConstant(const graph::FieldValue &value, Model &model) {
  graph::Edge edge{value.vertex, value.field, value.index, value.elements, {model.runs.size(), 0}};
  if (value.elements > 0) {
    const auto id = static_cast<graph::VariableId>(model.variables.size());
    model.variables.push_back(constantOf(model, value));
    model.runs.push_back({id, 0, value.elements, 1});
    edge.runs.count = 1;
  }
  model.edges.push_back(edge);
}

} // namespace

std::optional<Model> withInputConstants(const Model &model) {
  auto values = valuesWithMemory(model);
  if (values.empty())
    return std::nullopt;
  for (const graph::Edge &edge : model.edges)
    values.erase({edge.vertex, edge.field, edge.index});
  Model changed = model;
  std::erase_if(changed.fieldValues,
                [&](const graph::FieldValue &value) { return hasOwnMemory(model, value); });
  for (const auto &[position, value] : values)
    connectConstant(*value, changed);
  return changed;
}

} // namespace copse::compiler
