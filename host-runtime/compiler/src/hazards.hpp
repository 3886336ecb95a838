#pragma once

#include "compiler/vertex_index.hpp"
#include "compiler/where.hpp"
#include "graph/model.hpp"

#include <span>

namespace copse::compiler {

/// Checks all executed compute sets: no element may be written by two vertices of a set, or written
/// by one and read by another. Output and InOut edges may contain neither constants nor an element
/// twice.
/// \throws poplar::graph_cycle_error naming both fields and the variable's element;
///   poplar::graph_connection_error as checkWritable()
void checkComputeSetHazards(const graph::Model &model, const VertexIndex &index);

/// Checks that no constant is written. This check suffices for a row from the host, where an
/// element that occurs several times gets the last of its values.
/// \throws poplar::graph_connection_error whose message begins with \p what, a program or an edge
void checkNotConstant(const graph::Model &model, std::span<const graph::Run> runs,
                      const Where &what);

/// Checks that no constant is written, and no element twice.
/// \throws as checkNotConstant()
void checkWritable(const graph::Model &model, std::span<const graph::Run> runs, const Where &what);

} // namespace copse::compiler
