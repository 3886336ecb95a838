#include "compiler/state_layout.hpp"

#include "field_encoding.hpp"

#include "compiler/where.hpp"
#include "popc/arch.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>

namespace copse::compiler {

using popc::Field;
using popc::FieldDirection;
using popc::FieldKind;
using popc::Layout;

namespace {

constexpr std::uint32_t kTableAlign = 8;

bool isNested(const Field &field) {
  return field.kind == FieldKind::VectorOfScalars || field.kind == FieldKind::VectorOfVectors ||
         field.kind == FieldKind::VectorList;
}

std::uint32_t alignUp(std::uint32_t value, std::uint32_t align) {
  return (value + align - 1) / align * align;
}

/// Returns the size of the table entry of one sub-vector.
std::uint32_t entryBytes(const Field &field) {
  switch (field.kind) {
  case FieldKind::VectorOfVectors:
    return pointerBytes(field.inner);
  case FieldKind::VectorOfScalars:
  case FieldKind::VectorList:
    return 4;
  default:
    return field.elementBytes;
  }
}

/// The numbers of edges and values at each position of a field.
struct FieldUse {
  std::vector<std::uint32_t> edgesAt; ///< by index of the sub-vector
  std::uint32_t declaredSize = 0;
  const graph::FieldValue *value = nullptr;
};

std::vector<FieldUse> collectUses(const graph::Model &model, const VertexIndex &index,
                                  std::uint32_t vertex, std::size_t fields) {
  std::vector<FieldUse> uses(fields);
  for (const std::uint32_t i : index.edges[vertex]) {
    const graph::Edge &edge = model.edges[i];
    auto &at = uses[edge.field].edgesAt;
    if (at.size() <= edge.index)
      at.resize(edge.index + 1, 0);
    ++at[edge.index];
  }
  for (const std::uint32_t i : index.sizes[vertex])
    uses[model.fieldSizes[i].field].declaredSize = model.fieldSizes[i].size;
  for (const std::uint32_t i : index.values[vertex])
    uses[model.fieldValues[i].field].value = &model.fieldValues[i];
  return uses;
}

/// \returns the number of sub-vectors of a nested field, or of elements of a vector in the state,
///   else 0
std::uint32_t checkedSize(const Field &field, const FieldUse &use, const Where &where) {
  const auto fail = [&](const std::string &what) {
    throw poplar::graph_connection_error(where.text() + ": " + what);
  };
  if (isNested(field)) {
    const auto size = std::max(use.declaredSize, static_cast<std::uint32_t>(use.edgesAt.size()));
    if (size == 0 && use.declaredSize == 0 && use.edgesAt.empty())
      return 0; // an empty list was connected
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t edges = i < use.edgesAt.size() ? use.edgesAt[i] : 0;
      if (edges != 1)
        fail("index " + std::to_string(i) +
             (edges == 0 ? " is not connected" : " is connected more than once"));
    }
    return size;
  }
  const std::uint32_t edges = use.edgesAt.empty() ? 0 : use.edgesAt.front();
  if (edges > 1)
    fail("is connected more than once");
  if (field.kind == FieldKind::Vector && edges == 0 && use.value)
    return static_cast<std::uint32_t>(use.value->elements);
  if (edges == 0 && field.direction != FieldDirection::State)
    fail("is not connected; use Graph::connect()");
  return 0;
}

} // namespace

StateLayout layOutState(const graph::Model &model, const VertexIndex &index, std::uint32_t vertex) {
  const popc::VertexType &type = model.vertexTypes[model.vertices[vertex].type];
  const std::vector<FieldUse> uses = collectUses(model, index, vertex, type.fields.size());
  StateLayout layout;
  layout.fields.resize(type.fields.size());
  layout.bytes = type.stateBytes;
  layout.align = std::max(4u, type.stateAlign);
  for (std::uint16_t f = 0; f < type.fields.size(); ++f) {
    const Field &field = type.fields[f];
    StateLayout::FieldPart &part = layout.fields[f];
    part.size = checkedSize(field, uses[f], {model, vertex, f});
    if (part.size == 0)
      continue;
    const std::uint32_t align = std::max({kTableAlign, field.minAlign, popc::alignOf(field.outer)});
    part.tableOffset = alignUp(layout.bytes, align);
    part.tableBytes = part.size * entryBytes(field);
    layout.bytes = part.tableOffset + part.tableBytes;
    layout.align = std::max(layout.align, align);
  }
  return layout;
}

} // namespace copse::compiler
