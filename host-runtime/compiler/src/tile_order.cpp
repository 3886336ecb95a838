#include "tile_order.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace copse::compiler {
namespace {

/// The range of a tile's addresses from the first to the last byte of a region.
struct TileStretch {
  std::uint32_t tile;
  std::int64_t begin, end;
};

TileStretch stretchOf(const wire::Region &region) {
  const std::int64_t last = region.address + std::int64_t{region.stride} * (region.count - 1);
  return {region.tile, std::min<std::int64_t>(region.address, last),
          std::max<std::int64_t>(region.address, last) + region.bytes};
}

/// Returns the ranges in order, with adjacent ones joined.
std::vector<TileStretch> stretchesOf(const std::vector<wire::Region> &regions) {
  std::vector<TileStretch> all, joined;
  for (const wire::Region &region : regions)
    if (region.size() != 0)
      all.push_back(stretchOf(region));
  std::ranges::sort(all, {}, [](const TileStretch &s) { return std::pair(s.tile, s.begin); });
  for (const TileStretch &stretch : all)
    if (!joined.empty() && joined.back().tile == stretch.tile && stretch.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, stretch.end);
    else
      joined.push_back(stretch);
  return joined;
}

} // namespace

bool canGoByTile(const wire::Exchange &exchange, const std::vector<wire::Region> &written) {
  if (exchange.overlapping || !exchange.replicaMap.empty() || !exchange.sends.empty() ||
      !exchange.receives.empty() ||
      !std::ranges::is_sorted(exchange.moves, {}, [](const wire::Move &m) { return m.to.tile; }))
    return false;
  const std::vector<TileStretch> stretches = stretchesOf(written);
  return std::ranges::none_of(exchange.moves, [&](const wire::Move &m) {
    const TileStretch read =
        stretchOf({m.from.tile, m.from.address, m.bytes, m.count, m.fromStride});
    const auto next =
        std::ranges::lower_bound(stretches, std::pair(read.tile, read.end), {},
                                 [](const TileStretch &s) { return std::pair(s.tile, s.begin); });
    return next != stretches.begin() && std::prev(next)->tile == read.tile &&
           std::prev(next)->end > read.begin;
  });
}

} // namespace copse::compiler
