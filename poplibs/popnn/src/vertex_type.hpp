#pragma once

#include "poputil/VertexTemplates.hpp"
#include "tile_work/codelet_groups.hpp"

#include <string>

namespace popnn {

/// Returns the vertex class \p name for elements of \p type; the graph has the codelets of \p group
/// afterwards.
inline std::string vertexType(poplar::Graph &graph, const char *group, const char *name,
                              const poplar::Type &type) {
  std::string vertex = poputil::templateVertex(name, type);
  copse::tile_work::addCodeletGroup(graph, "popnn", group, vertex);
  return vertex;
}

} // namespace popnn
