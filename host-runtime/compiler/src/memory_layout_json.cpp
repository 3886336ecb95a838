#include "compiler/memory_layout_json.hpp"

#include "types/typed_array.hpp"

#include <algorithm>
#include <limits>

namespace copse::compiler {

using nlohmann::json;
using types::numbers32;
using types::numbers64;
using types::rowsOfNumbers;
using types::typedArray;
using types::typedRows;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryItem, name, use, type, shape, range, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VertexBytes, vertices, internalState, edgePointers,
                                   listDescriptors, padding)

namespace {

/// Returns a column of the table of blocks.
std::vector<std::uint32_t> column(const std::vector<MemoryBlock> &blocks,
                                  std::uint32_t MemoryBlock::*member) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(blocks.size());
  for (const MemoryBlock &block : blocks)
    numbers.push_back(block.*member);
  return numbers;
}

std::vector<MemoryBlock> blocksFrom(const json &from) {
  const auto items = numbers32(from.at("items")), addresses = numbers32(from.at("addresses")),
             bytes = numbers32(from.at("bytes"));
  std::vector<MemoryBlock> blocks;
  if (items.size() != addresses.size() || items.size() != bytes.size())
    return blocks; // firstBlock then detects the mismatch
  blocks.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    blocks.push_back({items[i], addresses[i], bytes[i]});
  return blocks;
}

std::vector<std::vector<std::uint32_t>>
rowsOf(const std::vector<std::vector<LiveInterval>> &ranges) {
  std::vector<std::vector<std::uint32_t>> rows;
  for (const auto &range : ranges) {
    rows.emplace_back();
    for (const LiveInterval &interval : range)
      rows.back().insert(rows.back().end(), {interval.first, interval.last});
  }
  return rows;
}

std::vector<std::vector<LiveInterval>>
rangesOf(const std::vector<std::vector<std::uint32_t>> &rows) {
  std::vector<std::vector<LiveInterval>> ranges;
  for (const auto &row : rows) {
    ranges.emplace_back();
    for (std::size_t i = 0; i + 1 < row.size(); i += 2)
      ranges.back().push_back({row[i], row[i + 1]});
  }
  return ranges;
}

bool isAscending(const std::vector<LiveInterval> &range) {
  for (std::size_t i = 0; i < range.size(); ++i)
    if (range[i].first > range[i].last || (i > 0 && range[i - 1].last >= range[i].first))
      return false;
  return true;
}

/// The limit for time steps. Times index arrays, so more than a compiler produces would only waste
/// memory.
constexpr std::uint32_t kMostTimes = 1u << 24;

bool isConsistent(const MemoryLayout &layout) {
  const auto knownItem = [&](std::uint32_t item) { return item < layout.items.size(); };
  const auto knownRange = [&](const MemoryItem &item) {
    return static_cast<std::size_t>(item.use) < kMemoryUses &&
           (item.range < layout.ranges.size() || item.range == LiveRanges::kAlways ||
            item.range == LiveRanges::kNever);
  };
  return layout.firstBlock.size() == layout.bytesWithGaps.size() + 1 &&
         std::ranges::is_sorted(layout.firstBlock) && layout.firstBlock.front() == 0 &&
         layout.firstBlock.back() == layout.blocks.size() &&
         std::ranges::all_of(layout.items, knownRange) &&
         std::ranges::all_of(layout.blocks,
                             [&](const MemoryBlock &block) { return knownItem(block.item); }) &&
         std::ranges::all_of(layout.ranges,
                             [](const auto &range) {
                               return isAscending(range) &&
                                      (range.empty() || range.back().last < kMostTimes);
                             }) &&
         layout.stepItems.size() == layout.stepTimes.size() &&
         std::ranges::all_of(layout.stepItems, [&](const auto &items) {
           return std::ranges::all_of(items, knownItem);
         });
}

} // namespace

json layoutToJson(const MemoryLayout &layout) {
  return {{"items", layout.items},
          {"ranges", typedRows(rowsOf(layout.ranges))},
          {"firstBlock", typedArray(layout.firstBlock)},
          {"blocks",
           {{"items", typedArray(column(layout.blocks, &MemoryBlock::item))},
            {"addresses", typedArray(column(layout.blocks, &MemoryBlock::address))},
            {"bytes", typedArray(column(layout.blocks, &MemoryBlock::bytes))}}},
          {"bytesWithGaps", typedArray(layout.bytesWithGaps)},
          {"vertexTypes", layout.vertexTypes},
          {"stepTimes", typedArray(layout.stepTimes)},
          {"stepItems", typedRows(layout.stepItems)}};
}

MemoryLayout layoutFromJson(const json &from) {
  MemoryLayout layout;
  from.at("items").get_to(layout.items);
  layout.ranges = rangesOf(rowsOfNumbers(from.at("ranges")));
  layout.firstBlock = numbers64(from.at("firstBlock"));
  layout.blocks = blocksFrom(from.at("blocks"));
  layout.bytesWithGaps = numbers64(from.at("bytesWithGaps"));
  from.at("vertexTypes").get_to(layout.vertexTypes);
  layout.stepTimes = numbers32(from.at("stepTimes"));
  layout.stepItems = rowsOfNumbers(from.at("stepItems"));
  if (!isConsistent(layout))
    throw json::other_error::create(599, "the memory layout is inconsistent", nullptr);
  return layout;
}

} // namespace copse::compiler
