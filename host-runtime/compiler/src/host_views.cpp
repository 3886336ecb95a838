#include "compiler/host_views.hpp"

#include "compiler/placement.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace copse::compiler {

namespace {

// The host iterates over its pieces at every transfer. If there are more than this, the IPU
// rearranges instead.
constexpr std::uint64_t kMostHostPieces = 1 << 20;

/// A part of the row that lies in one region.
struct Placed {
  wire::Region region;
  std::uint64_t offset; ///< within the row
};

/// Returns these bytes, block by block, in the order of tile memory.
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

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Appends bytes [first, last) of a region, counted across its blocks.
void appendPart(std::vector<wire::Region> &to, const wire::Region &region, std::uint64_t first,
                std::uint64_t last) {
  while (first < last) {
    const std::uint64_t block = first / region.bytes, within = first % region.bytes;
    const auto address = static_cast<std::uint32_t>(
        region.address + static_cast<std::int64_t>(block) * region.stride +
        static_cast<std::int64_t>(within));
    const std::uint64_t blocks = within == 0 ? (last - first) / region.bytes : 0;
    const std::uint64_t bytes =
        blocks > 0 ? region.bytes : std::min(region.bytes - within, last - first);
    const auto count = static_cast<std::uint32_t>(std::max<std::uint64_t>(blocks, 1));
    appendMerged(to, {region.tile, address, static_cast<std::uint32_t>(bytes), count,
                      count > 1 ? region.stride : 0});
    first += bytes * count;
  }
}

/// Returns bytes [first, last) of a view, in the order in which they travel.
wire::HostView partOf(const wire::HostView &view, std::uint64_t first, std::uint64_t last) {
  wire::HostView part;
  part.bytes = last - first;
  part.rowBytes = view.rowBytes;
  const auto eachOverlap = [&](const auto &spans, auto sizeOf, auto take) {
    std::uint64_t begin = 0;
    for (const auto &span : spans) {
      const std::uint64_t end = begin + sizeOf(span);
      if (begin < last && end > first)
        take(span, std::max(begin, first) - begin, std::min(end, last) - begin);
      begin = end;
    }
  };
  eachOverlap(
      view.regions, [](const wire::Region &region) { return region.size(); },
      [&](const wire::Region &region, std::uint64_t from, std::uint64_t to) {
        appendPart(part.regions, region, from, to);
      });
  eachOverlap(
      view.pieces, [](const wire::HostPiece &piece) { return piece.bytes; },
      [&](const wire::HostPiece &piece, std::uint64_t from, std::uint64_t to) {
        part.pieces.push_back({piece.offset + from, to - from});
      });
  return part;
}

} // namespace

std::vector<std::vector<wire::HostView>> cutViews(std::span<const wire::HostView> views,
                                                  std::uint64_t most, std::uint64_t elementBytes) {
  // Cut at whole words if possible, because these are copied faster.
  const std::uint64_t grain = most >= 8 ? 8 : elementBytes;
  most = std::max(grain, most / grain * grain);
  std::uint64_t largest = 0;
  for (const wire::HostView &view : views)
    largest = std::max(largest, view.bytes);
  std::vector<std::vector<wire::HostView>> parts(
      std::max<std::uint64_t>(1, ceilDiv(largest, most)));
  for (const wire::HostView &view : views) {
    const std::uint64_t bytes = ceilDiv(ceilDiv(view.bytes, parts.size()), grain) * grain;
    for (std::uint64_t i = 0; i < parts.size(); ++i)
      parts[i].push_back(
          partOf(view, std::min(i * bytes, view.bytes), std::min((i + 1) * bytes, view.bytes)));
  }
  return parts;
}

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
    if (where == Rearrange::OnHost && blocksOf(parts[ipu]) <= kMostHostPieces)
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
