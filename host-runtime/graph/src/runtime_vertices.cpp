#include "runtime_vertices.hpp"

#include "transpose_text.hpp"

#include <sstream>
#include <string_view>

namespace copse::graph {

void addRuntimeVertices(poplar::Graph &graph, poplar::StringRef vertexType) {
  const std::string_view name(vertexType.data(), vertexType.size());
  if (!name.starts_with("poplar_rt::") || graph.hasCodelet(vertexType)) {
    return;
  }
  std::stringstream source(kTransposeText);
  graph.addCodelets(source, "-O3");
}

} // namespace copse::graph
