#include "compiler/host_views.hpp"

#include "compiler/placement.hpp"

namespace copse::compiler {

std::vector<wire::HostView> splitRow(std::span<const wire::Region> regions, std::uint32_t ipus,
                                     std::uint32_t tilesPerIpu) {
  std::vector<wire::HostView> views(ipus);
  std::uint64_t offset = 0;
  for (wire::Region region : regions) {
    wire::HostView &view = views[region.tile / tilesPerIpu];
    region.tile %= tilesPerIpu;
    appendMerged(view.regions, region);
    const std::uint64_t bytes = region.size();
    if (!view.pieces.empty() && view.pieces.back().offset + view.pieces.back().bytes == offset)
      view.pieces.back().bytes += bytes;
    else
      view.pieces.push_back({offset, bytes});
    view.bytes += bytes;
    offset += bytes;
  }
  for (wire::HostView &view : views)
    view.rowBytes = offset;
  return views;
}

} // namespace copse::compiler
