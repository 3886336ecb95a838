#include "region_set.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace copse::compiler {

using wire::Region;

namespace {

/// The most regions that are compared with one region.
constexpr int kMostComparisons = 64;

std::int64_t floorOf(std::int64_t dividend, std::int64_t divisor) {
  return dividend / divisor - (dividend % divisor < 0 ? 1 : 0);
}

/// Returns true if two regions whose ranges overlap may have a common byte.
/// \param distance from the lowest byte of \p first to the lowest byte of \p second
bool interleave(const Region &first, const Region &second, std::int64_t distance) {
  const bool isOneBlock = first.count == 1;
  if (isOneBlock && second.count == 1)
    return true;
  const std::int64_t stride = std::abs(std::int64_t{(isOneBlock ? second : first).stride});
  if (!isOneBlock && second.count > 1 && std::abs(std::int64_t{second.stride}) != stride)
    return true;
  if (stride == 0)
    return true;
  // Block i of the first and block j of the second overlap if (i - j) * stride lies between
  // distance - first.bytes and distance + second.bytes, both excluded.
  const std::int64_t least = floorOf(distance - first.bytes, stride) + 1;
  const std::int64_t most = floorOf(distance + second.bytes - 1, stride);
  return std::max(least, 1 - std::int64_t{second.count}) <=
         std::min(most, std::int64_t{first.count} - 1);
}

} // namespace

RegionSet::Entry RegionSet::entryOf(const Region &region) {
  const std::int64_t last = region.address + std::int64_t{region.stride} * (region.count - 1);
  return {std::min<std::int64_t>(region.address, last),
          std::max<std::int64_t>(region.address, last) + region.bytes, region, 0};
}

void RegionSet::add(const Region &region) {
  if (region.size() > 0)
    tiles_[region.tile].entries.push_back(entryOf(region));
}

void RegionSet::add(std::span<const Region> regions) {
  for (const Region &region : regions)
    add(region);
}

void RegionSet::sort(Tile &tile) {
  std::vector<Entry> &entries = tile.entries;
  if (tile.sorted == entries.size())
    return;
  const auto byBegin = [](const Entry &a, const Entry &b) { return a.begin < b.begin; };
  const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(tile.sorted);
  std::sort(middle, entries.end(), byBegin);
  auto changed = std::upper_bound(entries.begin(), middle, *middle, byBegin);
  std::inplace_merge(changed, middle, entries.end(), byBegin);
  tile.sorted = entries.size();
  std::int64_t end = changed == entries.begin() ? 0 : std::prev(changed)->endSoFar;
  for (; changed != entries.end(); ++changed)
    changed->endSoFar = end = std::max(end, changed->end);
}

bool RegionSet::mayContain(const Region &region) {
  const auto tile = tiles_.find(region.tile);
  if (tile == tiles_.end() || region.size() == 0)
    return false;
  sort(tile->second);
  const std::vector<Entry> &entries = tile->second.entries;
  const Entry own = entryOf(region);
  auto after = std::ranges::lower_bound(entries, own.end, {}, &Entry::begin);
  for (int left = kMostComparisons; after != entries.begin(); --left) {
    const Entry &entry = *--after;
    if (entry.endSoFar <= own.begin)
      return false;
    if (left == 0)
      return true;
    if (entry.end > own.begin && interleave(entry.region, region, own.begin - entry.begin))
      return true;
  }
  return false;
}

bool RegionSet::mayContainAny(std::span<const Region> regions) {
  return std::ranges::any_of(regions, [&](const Region &region) { return mayContain(region); });
}

} // namespace copse::compiler
