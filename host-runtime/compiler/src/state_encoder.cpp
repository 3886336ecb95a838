#include "state_encoder.hpp"

#include "field_encoding.hpp"

#include <algorithm>
#include <cstring>

namespace copse::compiler {

using graph::Edge;
using popc::Field;
using popc::FieldKind;

std::vector<std::byte> StateEncoder::encode(std::uint32_t vertex) const {
  const State &state = memory_.state(vertex);
  std::vector<std::byte> bytes(state.layout.bytes);
  for (const std::uint32_t edge : index_.edges[vertex])
    encodeEdge(edge, state, bytes);
  for (const std::uint32_t value : index_.values[vertex])
    encodeValue(model_.fieldValues[value], state, bytes);
  encodeOuterPointers(vertex, state, bytes);
  return bytes;
}

void StateEncoder::encodeEdge(std::uint32_t i, const State &state,
                              std::vector<std::byte> &bytes) const {
  const Edge &edge = model_.edges[i];
  const Field &field = fieldOfEdge(model_, edge);
  const Pointer pointer{memory_.binding(i).address, edge.elements};
  const Where where(model_, edge.vertex, edge.field);
  const std::span<std::byte> all(bytes);
  switch (field.kind) {
  case FieldKind::Scalar:
  case FieldKind::Vector:
    return encodePointer(field.outer, pointer, memory_.base(), where,
                         all.subspan(field.offset, field.bytes));
  case FieldKind::VectorOfScalars:
  case FieldKind::VectorOfVectors: {
    const std::uint32_t entry = pointerBytes(field.inner);
    const std::uint32_t at = state.layout.fields[edge.field].tableOffset + edge.index * entry;
    return encodePointer(field.inner, pointer, memory_.base(), where, all.subspan(at, entry));
  }
  case FieldKind::VectorList: // encodeRows() encodes all rows at once
    return;
  }
}

void StateEncoder::encodeValue(const graph::FieldValue &value, const State &state,
                               std::vector<std::byte> &bytes) const {
  const Field &field = typeOfVertex(model_, value.vertex).fields[value.field];
  const bool inTable = field.kind == FieldKind::Vector && state.layout.fields[value.field].size > 0;
  const std::uint32_t at = inTable ? state.layout.fields[value.field].tableOffset : field.offset;
  const std::size_t room = inTable ? bytes.size() - at : field.bytes;
  std::memcpy(bytes.data() + at, value.bytes.data(), std::min(room, value.bytes.size()));
}

void StateEncoder::encodeOuterPointers(std::uint32_t vertex, const State &state,
                                       std::vector<std::byte> &bytes) const {
  const popc::VertexType &type = typeOfVertex(model_, vertex);
  for (std::uint16_t f = 0; f < type.fields.size(); ++f) {
    const Field &field = type.fields[f];
    const StateLayout::FieldPart &part = state.layout.fields[f];
    if (field.kind == FieldKind::VectorList) {
      encodeRows(vertex, f, state, bytes);
      continue;
    }
    const bool nested =
        field.kind == FieldKind::VectorOfScalars || field.kind == FieldKind::VectorOfVectors;
    if (!nested && part.size == 0)
      continue;
    const std::uint32_t table = part.size == 0 ? memory_.base() : state.address + part.tableOffset;
    encodePointer(field.outer, {table, part.size}, memory_.base(), {model_, vertex, f},
                  std::span<std::byte>(bytes).subspan(field.offset, field.bytes));
  }
}

void StateEncoder::encodeRows(std::uint32_t vertex, std::uint16_t f, const State &state,
                              std::vector<std::byte> &bytes) const {
  const Field &field = typeOfVertex(model_, vertex).fields[f];
  const StateLayout::FieldPart &part = state.layout.fields[f];
  std::vector<Pointer> rows(part.size);
  for (const std::uint32_t edge : index_.edges[vertex])
    if (model_.edges[edge].field == f)
      rows[model_.edges[edge].index] = {memory_.binding(edge).address, model_.edges[edge].elements};
  const std::uint32_t table = part.size == 0 ? memory_.base() : state.address + part.tableOffset;
  const std::span<std::byte> all(bytes);
  encodeList(field.outer, rows, std::max(field.minAlign, 1u), table, memory_.base(),
             {model_, vertex, f}, all.subspan(field.offset, field.bytes),
             part.size == 0 ? std::span<std::byte>() : all.subspan(part.tableOffset));
}

} // namespace copse::compiler
