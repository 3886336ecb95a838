#include "control_code.hpp"

#include "compiler/memory_layout.hpp"

namespace copse::compiler {
std::vector<std::uint64_t> reserveControlCode(const graph::Model &model, const VertexIndex &index,
                                              TileAllocator &allocator) {
  std::vector<std::uint64_t> bytes(allocator.tiles(), 0);
  if (model.arch == popc::Architecture::Cpu)
    return bytes;
  constexpr std::uint32_t kNone = UINT32_MAX;
  // The compute set that was last counted on each tile.
  std::vector<std::uint32_t> last(allocator.tiles(), kNone);
  for (std::uint32_t set = 0; set < model.computeSets.size(); ++set)
    for (const std::uint32_t vertex : index.vertices[set]) {
      const std::uint32_t tile = model.vertices[vertex].tile;
      if (last[tile] != set)
        bytes[tile] += kComputeSetCodeBytes;
      last[tile] = set;
      bytes[tile] += kVertexCodeBytes;
    }
  for (GlobalTile tile = 0; tile < allocator.tiles(); ++tile)
    if (bytes[tile] != 0)
      allocator.allocate(tile, bytes[tile], kVertexCodeBytes);
  return bytes;
}

} // namespace copse::compiler
