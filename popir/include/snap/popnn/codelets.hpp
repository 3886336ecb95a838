#pragma once

#include "snap/Graph.hpp"

#include <popnn/codelets.hpp>

namespace snap {
namespace popnn {

inline void addCodelets(Graph &graph) { ::popnn::addCodelets(graph.getPoplarGraph()); }

} // namespace popnn
} // namespace snap
