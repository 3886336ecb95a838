#include "memory_profile.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace copse::compiler {
namespace {

constexpr std::size_t kShownTiles = 5, kShownVariables = 3;

std::string largestVariables(const graph::Model &model, const Placement &placement,
                             GlobalTile tile) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> bytes;
  for (std::uint32_t v = 0; v < model.variables.size(); ++v)
    if (const std::uint64_t here = placement.bytesOn(v, tile))
      bytes.emplace_back(here, v);
  std::stable_sort(bytes.begin(), bytes.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kShownVariables, bytes.size()); ++i)
    text += (i ? ", '" : "; largest variables there: '") + model.variables[bytes[i].second].name +
            "' " + grouped(bytes[i].first);
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

std::string memoryProfile(const graph::Model &model, const Placement &placement,
                          std::span<const GlobalTile> tiles, std::span<const TileUse> uses) {
  std::string text;
  for (const GlobalTile tile : tiles.first(std::min(kShownTiles, tiles.size()))) {
    const TileUse &use = uses[tile];
    text += "\n  IPU " + std::to_string(tile / model.tilesPerIpu) + " tile " +
            std::to_string(tile % model.tilesPerIpu) + ": " + grouped(use.total()) + " bytes";
    const char *separator = ": ";
    const std::pair<const char *, std::uint64_t> parts[] = {{"code", use.code},
                                                            {"variables", use.variables},
                                                            {"constants", use.constants},
                                                            {"vertex states", use.vertexStates},
                                                            {"edge buffers", use.edgeBuffers},
                                                            {"control", use.control}};
    for (const auto &[name, bytes] : parts) {
      if (bytes == 0)
        continue;
      text += separator + grouped(bytes) + ' ' + name;
      separator = ", ";
    }
    text += largestVariables(model, placement, tile);
  }
  return text;
}

} // namespace copse::compiler
