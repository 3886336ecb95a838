#pragma once

namespace poplar {

/// The places where Graph::addVariable() puts a new variable.
enum class VariableMappingMethod {
  NONE,  ///< nowhere: the caller maps it
  LINEAR ///< in ascending order over all tiles of the graph, as evenly as possible
};

} // namespace poplar
