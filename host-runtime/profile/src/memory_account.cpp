#include "profile/memory_account.hpp"

#include <algorithm>
#include <map>
#include <span>

namespace copse::profile {

using compiler::MemoryBlock;
using compiler::MemoryLayout;

namespace {

/// Counts how many items use each byte of a tile, as prefix sums from the start of memory.
class Coverage {
public:
  explicit Coverage(std::span<const MemoryBlock> blocks) {
    std::map<std::uint64_t, std::int64_t> changes;
    for (const MemoryBlock &block : blocks) {
      ++changes[block.address];
      --changes[block.end()];
    }
    std::int64_t depth = 0;
    Sums sums;
    for (const auto &[address, change] : changes) {
      if (!points_.empty())
        sums = sums.after(address - points_.back().address, depth);
      points_.push_back({address, depth + change, sums});
      depth += change;
    }
  }

  struct Sums {
    std::uint64_t once = 0, shared = 0;
    Sums after(std::uint64_t bytes, std::int64_t depth) const {
      return {once + (depth == 1 ? bytes : 0), shared + (depth > 1 ? bytes : 0)};
    }
    Sums operator-(const Sums &other) const { return {once - other.once, shared - other.shared}; }
  };
  /// Returns the sums over the bytes below \p address.
  Sums below(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(points_, address, {}, &Point::address);
    if (after == points_.begin())
      return {};
    const Point &point = *(after - 1);
    return point.sums.after(address - point.address, point.depth);
  }

private:
  struct Point {
    std::uint64_t address;
    std::int64_t depth; ///< from this address on
    Sums sums;          ///< up to this address
  };
  std::vector<Point> points_;
};

/// Calls \p f(region, begin, end) for each part of an address range that lies in one region.
void visitRegions(std::uint64_t begin, std::uint64_t end, const MemoryBounds &bounds,
                  const auto &f) {
  const std::uint64_t interleaved = std::min(bounds.interleaved, bounds.end);
  const std::array<std::uint64_t, kMemoryRegions + 1> edges{0, interleaved, bounds.end,
                                                            ~std::uint64_t{0}};
  for (std::size_t region = 0; region < kMemoryRegions; ++region) {
    const std::uint64_t first = std::max(begin, edges[region]),
                        last = std::min(end, edges[region + 1]);
    if (first < last)
      f(region, first, last);
  }
}

} // namespace

MemoryAccount accountOfTile(const MemoryLayout &layout, compiler::GlobalTile tile,
                            const MemoryBounds &bounds) {
  const std::span<const MemoryBlock> blocks = layout.blocksOf(tile);
  MemoryAccount account;
  account.withGaps = layout.bytesWithGaps[tile];
  if (blocks.empty())
    return account;
  const Coverage coverage(blocks);
  const auto sumsOf = [&](std::uint64_t begin, std::uint64_t end) {
    return coverage.below(end) - coverage.below(begin);
  };
  for (const MemoryBlock &block : blocks) {
    UseBytes &use = account.uses[static_cast<std::size_t>(layout.items[block.item].use)];
    visitRegions(block.address, block.end(), bounds,
                 [&](std::size_t region, std::uint64_t begin, std::uint64_t end) {
                   const std::uint64_t shared = sumsOf(begin, end).shared;
                   use.overlapped.bytes[region] += shared;
                   use.notOverlapped.bytes[region] += end - begin - shared;
                 });
  }
  visitRegions(0, ~std::uint64_t{0}, bounds,
               [&](std::size_t region, std::uint64_t begin, std::uint64_t end) {
                 const auto sums = sumsOf(begin, end);
                 account.once.bytes[region] = sums.once;
                 account.shared.bytes[region] = sums.shared;
               });
  return account;
}

MemoryAccount &MemoryAccount::operator+=(const MemoryAccount &other) {
  for (std::size_t use = 0; use < kMemoryUses; ++use) {
    uses[use].notOverlapped += other.uses[use].notOverlapped;
    uses[use].overlapped += other.uses[use].overlapped;
  }
  once += other.once;
  shared += other.shared;
  withGaps += other.withGaps;
  return *this;
}

std::vector<MemoryAccount> accountsOfTiles(const MemoryLayout &layout, const MemoryBounds &bounds) {
  std::vector<MemoryAccount> accounts;
  accounts.reserve(layout.bytesWithGaps.size());
  for (std::uint32_t tile = 0; tile < layout.bytesWithGaps.size(); ++tile)
    accounts.push_back(accountOfTile(layout, tile, bounds));
  return accounts;
}

} // namespace copse::profile
