#pragma once

#include "compiler/vertex_index.hpp"
#include "compiler/where.hpp"
#include "graph/model.hpp"

#include <span>

namespace copse::compiler {

/// Checks all compute sets that are executed: no two vertices of one may write the same element, nor
/// one write what another reads. Output and InOut edges may hold neither constants nor an element
/// twice.
/// \throws poplar::graph_cycle_error naming both fields and the variable's element;
///         poplar::graph_connection_error as checkWritable()
void checkComputeSetHazards(const graph::Model &model, const VertexIndex &index);

/// Checks that no constant is written. That suffices for a row from the host: an element that it
/// holds several times gets the last of its values in the row.
/// \throws poplar::graph_connection_error that begins with \p what, a program or an edge
void checkNotConstant(const graph::Model &model, std::span<const graph::Run> runs,
                      const Where &what);

/// Checks also that no element is written twice.
/// \throws as checkNotConstant()
void checkWritable(const graph::Model &model, std::span<const graph::Run> runs, const Where &what);

} // namespace copse::compiler
