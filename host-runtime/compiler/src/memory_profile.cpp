#include "memory_profile.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace copse::compiler {
namespace {

constexpr std::size_t kShownTiles = 5, kShownVariables = 3;

/// In order of MemoryUse.
constexpr std::array<const char *, kMemoryUses> kNames{
    "variables",     "constants",  "edge buffers of other tiles' data",
    "edge buffers",  "stacks",     "vertex states",
    "vertex fields", "list words", "control",
    "code"};

std::string largestVariables(const MemoryLayout &layout, GlobalTile tile) {
  std::map<std::uint32_t, std::uint64_t> here;
  for (const MemoryBlock &block : layout.blocksOf(tile))
    if (!layout.items[block.item].type.empty())
      here[block.item] += block.bytes;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> bytes(here.begin(), here.end());
  std::stable_sort(bytes.begin(), bytes.end(),
                   [](const auto &a, const auto &b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kShownVariables, bytes.size()); ++i)
    text += (i ? ", '" : "; largest variables there: '") + layout.items[bytes[i].first].name +
            "' " + grouped(bytes[i].second);
  return text;
}

} // namespace

std::string grouped(std::uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0)
      text += ',';
    text += digits[i];
  }
  return text;
}

std::string memoryProfile(std::uint32_t tilesPerIpu, std::span<const GlobalTile> tiles,
                          const MemoryLayout &layout) {
  std::string text;
  for (const GlobalTile tile : tiles.first(std::min(kShownTiles, tiles.size()))) {
    const auto uses = bytesByUse(layout, tile);
    text += "\n  IPU " + std::to_string(tile / tilesPerIpu) + " tile " +
            std::to_string(tile % tilesPerIpu) + ": " +
            grouped(std::accumulate(uses.begin(), uses.end(), std::uint64_t{0})) + " bytes";
    const char *separator = ": ";
    for (std::size_t use = 0; use < kMemoryUses; ++use) {
      if (uses[use] == 0)
        continue;
      text += separator + grouped(uses[use]) + ' ' + kNames[use];
      separator = ", ";
    }
    text += largestVariables(layout, tile);
  }
  return text;
}

} // namespace copse::compiler
