#pragma once

#include "snap/Graph.hpp"

#include <popnn/codelets.hpp>

namespace snap {
/// Operations of popnn with snap's graph.
namespace popnn {

/// Adds the codelets of popnn.
inline void addCodelets(Graph &graph) { ::popnn::addCodelets(graph.getPoplarGraph()); }

} // namespace popnn
} // namespace snap
