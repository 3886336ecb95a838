#pragma once

#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace copse::compiler {

/// The layout of one vertex's state: first the object itself, then a table for each field that
/// needs one (the inner pointers of nested vectors, or the data of a vector that is state and not
/// an edge).
struct StateLayout {
  struct FieldPart {
    /// Number of sub-vectors of a nested field, or of elements of a state vector.
    std::uint32_t size = 0;
    std::uint32_t tableOffset = 0; ///< from the start of the state [bytes]
    std::uint32_t tableBytes = 0;
  };
  std::vector<FieldPart> fields; ///< shape [VertexType::fields]
  std::uint32_t bytes = 0, align = 4;
};

/// Checks that every field of \p vertex is connected or has a value, and lays out its state.
/// \throws poplar::graph_connection_error naming vertex type, field, and what is missing
StateLayout layOutState(const graph::Model &model, const VertexIndex &index, std::uint32_t vertex);

} // namespace copse::compiler
