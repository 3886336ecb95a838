#pragma once

#include "vertex_memory.hpp"

#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::compiler {

/// Encodes the initial bytes of a vertex's state: pointers to the data of its edges, values, and
/// tables.
class StateEncoder {
public:
  StateEncoder(const graph::Model &model, const VertexIndex &index, const VertexMemory &memory)
      : model_(model), index_(index), memory_(memory) {}

  /// \throws as encodePointer() and encodeList() of field_encoding.hpp
  std::vector<std::byte> encode(std::uint32_t vertex) const;

private:
  using State = VertexMemory::State;
  void encodeEdge(std::uint32_t edge, const State &state, std::vector<std::byte> &bytes) const;
  void encodeValue(const graph::FieldValue &value, const State &state,
                   std::vector<std::byte> &bytes) const;
  void encodeOuterPointers(std::uint32_t vertex, const State &state,
                           std::vector<std::byte> &bytes) const;
  void encodeRows(std::uint32_t vertex, std::uint16_t field, const State &state,
                  std::vector<std::byte> &bytes) const;

  const graph::Model &model_;
  const VertexIndex &index_;
  const VertexMemory &memory_;
};

} // namespace copse::compiler
