#include "compiler/memory_layout.hpp"

#include "compiler/memory_sharing.hpp"

#include <algorithm>

namespace copse::compiler {
namespace {

bool isSometimes(LiveRanges::Id range) {
  return range != LiveRanges::kAlways && range != LiveRanges::kNever;
}

/// Sorts ranges and merges adjacent ones.
void unite(std::vector<AddressRange> &ranges) {
  std::ranges::sort(ranges, {}, &AddressRange::begin);
  std::vector<AddressRange> united;
  for (const AddressRange &range : ranges)
    if (!united.empty() && range.begin <= united.back().end)
      united.back().end = std::max(united.back().end, range.end);
    else
      united.push_back(range);
  ranges = std::move(united);
}

std::uint64_t bytesIn(const std::vector<AddressRange> &disjoint) {
  std::uint64_t bytes = 0;
  for (const AddressRange &range : disjoint)
    bytes += range.end - range.begin;
  return bytes;
}

} // namespace

std::array<std::uint64_t, kMemoryUses> bytesByUse(const MemoryLayout &layout, GlobalTile tile) {
  std::vector<const MemoryBlock *> byUse;
  for (const MemoryBlock &block : layout.blocksOf(tile))
    byUse.push_back(&block);
  const auto useOf = [&](const MemoryBlock *block) { return layout.items[block->item].use; };
  std::ranges::stable_sort(byUse, {}, useOf);
  std::array<std::uint64_t, kMemoryUses> bytes{};
  std::vector<AddressRange> covered;
  for (auto first = byUse.begin(); first != byUse.end();) {
    const MemoryUse use = useOf(*first);
    const auto last =
        std::find_if(first, byUse.end(), [&](const auto *b) { return useOf(b) != use; });
    const std::uint64_t before = bytesIn(covered);
    for (; first != last; ++first)
      covered.push_back({(*first)->address, (*first)->end()});
    unite(covered);
    bytes[static_cast<std::size_t>(use)] = bytesIn(covered) - before;
  }
  return bytes;
}

std::vector<std::uint64_t> liveBytesByTime(const MemoryLayout &layout) {
  std::vector<std::uint64_t> ofRange(layout.ranges.size(), 0);
  for (const MemoryItem &item : layout.items)
    if (isSometimes(item.range))
      ofRange[item.range] += item.bytes;
  std::uint32_t end = 0;
  for (const auto &range : layout.ranges)
    if (!range.empty())
      end = std::max(end, range.back().last + 1);
  std::vector<std::uint64_t> live(std::size_t{end} + 1,
                                  0); // first the changes, modulo 2^64
  for (std::size_t range = 0; range < layout.ranges.size(); ++range)
    for (const LiveInterval &interval : layout.ranges[range]) {
      live[interval.first] += ofRange[range];
      live[interval.last + 1] -= ofRange[range];
    }
  for (std::size_t time = 1; time < live.size(); ++time)
    live[time] += live[time - 1];
  live.pop_back();
  return live;
}

} // namespace copse::compiler
