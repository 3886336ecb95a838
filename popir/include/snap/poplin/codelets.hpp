#pragma once

#include "snap/Graph.hpp"

#include <poplin/codelets.hpp>

namespace snap {
namespace poplin {

/// Adds the codelets of poplin.
inline void addCodelets(Graph &graph) { ::poplin::addCodelets(graph.getPoplarGraph()); }

} // namespace poplin
} // namespace snap
