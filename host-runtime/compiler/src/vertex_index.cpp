#include "compiler/vertex_index.hpp"

#include <algorithm>

namespace copse::compiler {

std::vector<std::uint32_t> verticesByTile(const graph::Model &model, const VertexIndex &index,
                                          std::uint32_t computeSet) {
  const auto vertices = index.vertices[computeSet];
  std::vector<std::uint32_t> sorted(vertices.begin(), vertices.end());
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return model.vertices[a].tile < model.vertices[b].tile;
  });
  return sorted;
}

} // namespace copse::compiler
