#pragma once

#include "snap/Graph.hpp"

#include <poprand/codelets.hpp>

namespace snap {
/// Operations of poprand with snap's graph.
namespace poprand {

/// Adds the codelets of poprand.
inline void addCodelets(Graph &graph) { ::poprand::addCodelets(graph.getPoplarGraph()); }

} // namespace poprand
} // namespace snap
