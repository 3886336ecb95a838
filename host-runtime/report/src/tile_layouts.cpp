#include "tile_layouts.hpp"

#include "runs_of_numbers.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace copse::report {

using compiler::MemoryBlock;
using compiler::MemoryLayout;
using Json = nlohmann::json;

namespace {

/// The limit for blocks of all layouts together: a few megabytes of the page.
constexpr std::size_t kMostBlocks = 400'000;

constexpr std::uint32_t kLeftOut = 0; ///< value in "ofTile"; layouts count from 1

bool lessThan(std::span<const MemoryBlock> a, std::span<const MemoryBlock> b) {
  const auto key = [](const MemoryBlock &block) {
    return std::tuple(block.address, block.bytes, block.item);
  };
  return std::ranges::lexicographical_compare(a, b, std::ranges::less{}, key, key);
}

/// The names of the items in layouts, in the order of first use.
class ItemNames {
public:
  explicit ItemNames(const MemoryLayout &memory)
      : memory_(memory), numbers_(memory.items.size(), kNone) {}

  std::uint32_t numberOf(std::uint32_t item) {
    if (numbers_[item] == kNone) {
      numbers_[item] = static_cast<std::uint32_t>(names_.size());
      names_.push_back(memory_.items[item].name);
      categories_.push_back(memory_.items[item].use);
    }
    return numbers_[item];
  }
  Json names() { return std::move(names_); }
  Json categories() { return std::move(categories_); }

private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  const MemoryLayout &memory_;
  std::vector<std::uint32_t> numbers_;
  Json names_ = Json::array(), categories_ = Json::array();
};

/// Returns [address, bytes, number of the name, ...]. An address is relative to the end of the
/// previous block, so that equal sequences at different addresses compress well.
Json blocksOf(std::span<const MemoryBlock> blocks, ItemNames &names) {
  Json numbers = Json::array();
  std::int64_t end = 0;
  for (const MemoryBlock &block : blocks) {
    numbers.push_back(static_cast<std::int64_t>(block.address) - end);
    numbers.push_back(block.bytes);
    numbers.push_back(names.numberOf(block.item));
    end = static_cast<std::int64_t>(block.end());
  }
  return numbers;
}

} // namespace

Json tileLayouts(const MemoryLayout &memory, std::span<const std::uint32_t> order) {
  std::map<std::span<const MemoryBlock>, std::uint32_t, decltype(&lessThan)> known(&lessThan);
  ItemNames names(memory);
  std::vector<std::uint32_t> ofTile(order.size(), kLeftOut);
  Json layouts = Json::array();
  std::size_t blocks = 0, leftOut = 0;
  for (const std::uint32_t tile : order) {
    const std::span<const MemoryBlock> here = memory.blocksOf(tile);
    const auto found = known.find(here);
    if (found != known.end())
      ofTile[tile] = found->second;
    else if (blocks + here.size() > kMostBlocks)
      ++leftOut;
    else {
      layouts.push_back(blocksOf(here, names));
      blocks += here.size();
      ofTile[tile] = static_cast<std::uint32_t>(layouts.size());
      known.emplace(here, ofTile[tile]);
    }
  }
  return {{"ofTile", runsOf(ofTile, [](std::uint32_t layout) { return layout; })},
          {"layouts", std::move(layouts)},
          {"names", names.names()},
          {"categories", names.categories()},
          {"tilesLeftOut", leftOut}};
}

} // namespace copse::report
