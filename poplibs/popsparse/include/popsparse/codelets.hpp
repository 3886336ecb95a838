#pragma once

#include <poplar/Graph.hpp>

namespace popsparse {

/// Does nothing: operations add the codelets that they need.
void addCodelets(poplar::Graph &graph);

} // namespace popsparse
