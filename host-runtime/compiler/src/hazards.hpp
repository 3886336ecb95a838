#pragma once

#include "compiler/vertex_index.hpp"
#include "compiler/where.hpp"
#include "graph/model.hpp"

#include <span>

namespace copse::compiler {

/// Checks all compute sets: no two vertices of one may write the same element, nor one write what
/// another reads. Output and InOut edges may hold neither constants nor an element twice.
/// \throws poplar::graph_connection_error naming both fields and the variable's element
void checkComputeSetHazards(const graph::Model &model, const VertexIndex &index);

/// Checks that \p view can be written: no constants, no element twice. \p what names the program or
/// edge.
/// \throws poplar::graph_connection_error
void checkWritable(const graph::Model &model, std::span<const graph::Run> runs, const Where &what);

} // namespace copse::compiler
