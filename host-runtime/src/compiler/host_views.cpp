#include "compiler/host_views.hpp"

#include "compiler/placement.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace copse::compiler {

namespace {

// The host walks its pieces at every transfer: from so many on, it is the IPU's turn after all.
constexpr std::uint64_t kMostPieces = 1 << 20;

/// A part of the row that lies in one region.
struct Placed {
  wire::Region region;
  std::uint64_t offset; ///< in the row
};

/// The same bytes, block by block, in the order of tile memory.
std::vector<Placed> inMemoryOrder(std::span<const Placed> parts) {
  std::vector<Placed> blocks;
  for (const Placed &part : parts)
    for (std::uint32_t block = 0; block < part.region.count; ++block) {
      const auto address = static_cast<std::uint32_t>(part.region.address +
                                                      std::int64_t{block} * part.region.stride);
      blocks.push_back({{part.region.tile, address, part.region.bytes, 1, 0},
                        part.offset + std::uint64_t{block} * part.region.bytes});
    }
  std::stable_sort(blocks.begin(), blocks.end(), [](const Placed &a, const Placed &b) {
    return std::pair(a.region.tile, a.region.address) < std::pair(b.region.tile, b.region.address);
  });
  return blocks;
}

std::uint64_t blocksOf(std::span<const Placed> parts) {
  std::uint64_t blocks = 0;
  for (const Placed &part : parts)
    blocks += part.region.count;
  return blocks;
}

void append(wire::HostView &view, const Placed &part) {
  appendMerged(view.regions, part.region);
  const std::uint64_t bytes = part.region.size();
  if (!view.pieces.empty() && view.pieces.back().offset + view.pieces.back().bytes == part.offset)
    view.pieces.back().bytes += bytes;
  else
    view.pieces.push_back({part.offset, bytes});
  view.bytes += bytes;
}

} // namespace

std::vector<wire::HostView> splitRow(std::span<const wire::Region> regions, std::uint32_t ipus,
                                     std::uint32_t tilesPerIpu, Rearrange where) {
  std::vector<std::vector<Placed>> parts(ipus);
  std::uint64_t offset = 0;
  for (wire::Region region : regions) {
    const std::uint32_t ipu = region.tile / tilesPerIpu;
    region.tile %= tilesPerIpu;
    parts[ipu].push_back({region, offset});
    offset += region.size();
  }
  std::vector<wire::HostView> views(ipus);
  for (std::uint32_t ipu = 0; ipu < ipus; ++ipu) {
    if (where == Rearrange::OnHost && blocksOf(parts[ipu]) <= kMostPieces)
      parts[ipu] = inMemoryOrder(parts[ipu]);
    for (const Placed &part : parts[ipu])
      append(views[ipu], part);
    views[ipu].rowBytes = offset;
  }
  return views;
}

bool isRearranged(const wire::HostView &view) {
  return !std::is_sorted(
      view.pieces.begin(), view.pieces.end(),
      [](const wire::HostPiece &a, const wire::HostPiece &b) { return a.offset < b.offset; });
}

} // namespace copse::compiler
