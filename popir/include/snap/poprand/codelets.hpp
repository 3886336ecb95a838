#pragma once

#include "snap/Graph.hpp"

#include <poprand/codelets.hpp>

namespace snap {
namespace poprand {

inline void addCodelets(Graph &graph) { ::poprand::addCodelets(graph.getPoplarGraph()); }

} // namespace poprand
} // namespace snap
