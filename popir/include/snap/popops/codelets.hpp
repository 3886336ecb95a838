#pragma once

#include "snap/Graph.hpp"

#include <popops/codelets.hpp>

namespace snap {
namespace popops {

/// Adds the codelets of popops.
inline void addCodelets(Graph &graph) { ::popops::addCodelets(graph.getPoplarGraph()); }

} // namespace popops
} // namespace snap
