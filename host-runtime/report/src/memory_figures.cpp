#include "figures.hpp"
#include "name_tree.hpp"
#include "runs_of_numbers.hpp"
#include "tile_layouts.hpp"

#include "profile/profile_values.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

namespace copse::report {

using compiler::LiveRanges;
using compiler::MemoryBlock;
using compiler::MemoryItem;
using compiler::MemoryLayout;
using Json = nlohmann::json;
using profile::ReportData;

namespace {

constexpr std::size_t kMostVariables = 1000;
constexpr std::size_t kMostLiveItems = 2000;

bool isSometimesLive(const MemoryItem &item) {
  return item.range != LiveRanges::kAlways && item.range != LiveRanges::kNever;
}

/// The bytes and tiles of an item.
struct ItemUse {
  std::uint64_t bytes = 0, most = 0;
  std::uint32_t tiles = 0;
};

/// Returns the uses of all items, shape [items]. An item may have several blocks on a tile.
std::vector<ItemUse> itemUses(const MemoryLayout &memory) {
  std::vector<ItemUse> uses(memory.items.size());
  std::vector<std::uint64_t> onTile(memory.items.size(), 0);
  for (std::uint32_t tile = 0; tile + 1 < memory.firstBlock.size(); ++tile) {
    for (const MemoryBlock &block : memory.blocksOf(tile)) {
      uses[block.item].tiles += onTile[block.item] == 0;
      onTile[block.item] += block.bytes;
    }
    for (const MemoryBlock &block : memory.blocksOf(tile)) {
      ItemUse &use = uses[block.item];
      use.bytes += onTile[block.item];
      use.most = std::max(use.most, onTile[block.item]);
      onTile[block.item] = 0;
    }
  }
  return uses;
}

/// Returns the numbers of items, largest first.
std::vector<std::uint32_t> bySize(const std::vector<ItemUse> &uses, auto &&wanted) {
  std::vector<std::uint32_t> items;
  for (std::uint32_t item = 0; item < uses.size(); ++item)
    if (uses[item].bytes > 0 && wanted(item))
      items.push_back(item);
  std::ranges::stable_sort(items, std::ranges::greater{},
                           [&](std::uint32_t item) { return uses[item].bytes; });
  return items;
}

const char *livenessOf(const MemoryItem &item) {
  return item.range == LiveRanges::kAlways  ? "always"
         : item.range == LiveRanges::kNever ? "never"
                                            : "for some steps";
}

Json variablesOf(const MemoryLayout &memory, const std::vector<ItemUse> &uses) {
  std::vector<std::uint32_t> items = bySize(uses, [](std::uint32_t) { return true; });
  std::uint64_t smaller = 0, count = 0;
  for (; items.size() > kMostVariables; items.pop_back(), ++count)
    smaller += uses[items.back()].bytes;
  Json list = Json::array();
  for (const std::uint32_t item : items) {
    const MemoryItem &what = memory.items[item];
    Json variable{{"name", what.name},         {"category", what.use},
                  {"bytes", uses[item].bytes}, {"tiles", uses[item].tiles},
                  {"most", uses[item].most},   {"live", livenessOf(what)}};
    if (!what.type.empty()) {
      variable["type"] = what.type;
      variable["shape"] = what.shape;
    }
    list.push_back(std::move(variable));
  }
  return {{"largest", std::move(list)}, {"leftOut", {{"count", count}, {"bytes", smaller}}}};
}

Json treeOf(const MemoryLayout &memory, const std::vector<ItemUse> &uses) {
  NameTree tree;
  for (std::size_t item = 0; item < uses.size(); ++item)
    if (const MemoryItem &what = memory.items[item]; uses[item].bytes > 0)
      tree.add(what.name.empty() ? std::string("(") + profile::nameOf(what.use) + ")" : what.name,
               uses[item].bytes);
  return tree.take(tree.amount() / 2000);
}

/// Returns the step of the program at each step of time; the first one if there are several.
Json programsByTime(const MemoryLayout &memory, std::size_t times) {
  constexpr std::int64_t kNone = -1;
  std::vector<std::int64_t> programs(times, kNone);
  for (std::size_t program = 0; program < memory.stepTimes.size(); ++program)
    if (const std::uint32_t time = memory.stepTimes[program]; time < times && programs[time] < 0)
      programs[time] = static_cast<std::int64_t>(program);
  return programs;
}

Json livenessFigures(const MemoryLayout &memory, const std::vector<ItemUse> &uses) {
  const std::vector<std::uint64_t> live = compiler::liveBytesByTime(memory);
  std::uint64_t always = 0;
  for (std::size_t item = 0; item < uses.size(); ++item)
    if (memory.items[item].range == LiveRanges::kAlways)
      always += uses[item].bytes;
  std::vector<std::uint32_t> items =
      bySize(uses, [&](std::uint32_t item) { return isSometimesLive(memory.items[item]); });
  items.resize(std::min(items.size(), kMostLiveItems));
  Json list = Json::array();
  for (const std::uint32_t item : items) {
    Json intervals = Json::array();
    for (const auto &interval : memory.ranges[memory.items[item].range]) {
      intervals.push_back(interval.first);
      intervals.push_back(interval.last);
    }
    list.push_back({{"name", memory.items[item].name},
                    {"category", memory.items[item].use},
                    {"bytes", uses[item].bytes},
                    {"intervals", std::move(intervals)}});
  }
  return {{"always", always},
          {"bytes", runsOf(live, [](std::uint64_t bytes) { return bytes; })},
          {"programs", programsByTime(memory, live.size())},
          {"items", std::move(list)}};
}

} // namespace

Json memoryFigures(const ReportData &data) {
  const MemoryLayout &memory = data.memory;
  const std::size_t tiles = data.tiles.size();
  std::array<RunsOfNumbers, compiler::kMemoryUses> byCategory;
  std::array<std::uint64_t, compiler::kMemoryUses> sums{};
  std::vector<std::uint64_t> totals(tiles, 0);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    const auto bytes = compiler::bytesByUse(memory, tile);
    for (std::size_t use = 0; use < bytes.size(); ++use) {
      byCategory[use].add(bytes[use]);
      sums[use] += bytes[use];
      totals[tile] += bytes[use];
    }
  }
  std::vector<std::uint32_t> fullestFirst(tiles);
  std::iota(fullestFirst.begin(), fullestFirst.end(), 0);
  std::ranges::stable_sort(fullestFirst, std::ranges::greater{},
                           [&](std::uint32_t tile) { return totals[tile]; });

  Json categories = Json::array(), byTile = Json::array();
  for (std::size_t use = 0; use < compiler::kMemoryUses; ++use) {
    categories.push_back(profile::nameOf(static_cast<compiler::MemoryUse>(use)));
    byTile.push_back(byCategory[use].take());
  }
  const std::vector<ItemUse> uses = itemUses(memory);
  const auto same = [](std::uint64_t bytes) { return bytes; };
  return {{"categories", std::move(categories)},
          {"byCategory", sums},
          {"tiles", std::move(byTile)},
          {"tilesWithGaps", runsOf(memory.bytesWithGaps, same)},
          {"layouts", tileLayouts(memory, fullestFirst)},
          {"liveness", livenessFigures(memory, uses)},
          {"variables", variablesOf(memory, uses)},
          {"tree", treeOf(memory, uses)}};
}

} // namespace copse::report
