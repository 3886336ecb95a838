#pragma once

#include <poplar/Graph.hpp>

namespace popfloat {
namespace experimental {

/// Does nothing: the functions of this library run on the host.
void addCodelets(poplar::Graph &graph);

} // namespace experimental
} // namespace popfloat
