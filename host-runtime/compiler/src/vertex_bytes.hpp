#pragma once

#include "memory_recorder.hpp"
#include "vertex_memory.hpp"

#include "compiler/memory_layout.hpp"
#include "compiler/state_layout.hpp"
#include "graph/model.hpp"
#include "popc/vertex_type.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace copse::compiler {

/// Returns the size of one vertex's state [bytes], without padding before it.
VertexBytes bytesOfState(const popc::VertexType &type, const StateLayout &layout);

/// Records vertex states, and sums up their sizes by type. The states of one tile must come in the
/// order of their addresses.
class StateRecorder {
public:
  StateRecorder(MemoryRecorder &recorder, const graph::Model &model);

  void add(const graph::Vertex &vertex, std::uint32_t address, const StateLayout &layout);

  /// Returns the sizes, shape [vertex types].
  std::vector<VertexBytes> takeBytes() { return std::move(bytes_); }

private:
  MemoryRecorder::Item itemOf(const popc::Field &field) const {
    return field.kind == popc::FieldKind::VectorList ? lists_ : fieldData_;
  }

  MemoryRecorder &recorder_;
  const graph::Model &model_;
  MemoryRecorder::Item state_, fieldData_, lists_;
  std::vector<std::uint32_t> end_; ///< shape [tiles]: end of the previous state; 0: there is none
  std::vector<VertexBytes> bytes_;
};

/// Records vertex states and edge buffers, and which variables each compute set uses.
/// \returns the sizes of the states of each vertex type; shape [vertex types]
std::vector<VertexBytes> recordVertices(const graph::Model &model, const VertexIndex &index,
                                        const VertexMemory &memory, const Liveness &liveness,
                                        MemoryRecorder &recorder);

} // namespace copse::compiler
