#pragma once

#include "snap/Graph.hpp"

#include <popops/codelets.hpp>

namespace snap {
namespace popops {

inline void addCodelets(Graph &graph) { ::popops::addCodelets(graph.getPoplarGraph()); }

} // namespace popops
} // namespace snap
