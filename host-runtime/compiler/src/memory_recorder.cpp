#include "memory_recorder.hpp"

#include "graph/types.hpp"

#include <algorithm>
#include <utility>

namespace copse::compiler {

MemoryRecorder::MemoryRecorder(const TileAllocator &allocator, const Liveness &liveness)
    : allocator_(allocator), liveness_(liveness), blocks_(allocator.tiles()) {}

MemoryRecorder::Item MemoryRecorder::addItem(MemoryItem item) {
  layout_.items.push_back(std::move(item));
  return static_cast<Item>(layout_.items.size() - 1);
}

void MemoryRecorder::add(GlobalTile tile, Item item, std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0)
    return;
  layout_.items[item].bytes += bytes;
  std::vector<MemoryBlock> &blocks = blocks_[tile];
  if (!blocks.empty() && blocks.back().item == item && blocks.back().end() == address)
    blocks.back().bytes += static_cast<std::uint32_t>(bytes);
  else
    blocks.push_back(
        {item, static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(bytes)});
}

void MemoryRecorder::addVariables(const graph::Model &model, const Placement &placement) {
  itemOfVariable_.assign(model.variables.size(), kNoItem);
  lastUse_.assign(model.variables.size(), 0);
  computeSetItems_.resize(model.computeSets.size());
  placement.visitPieces([&](graph::VariableId v, GlobalTile tile, std::uint32_t address,
                            std::uint64_t bytes) {
    Item &item = itemOfVariable_[v];
    if (item == kNoItem) {
      const graph::Variable &variable = model.variables[v];
      item = addItem({variable.name, variable.constant ? MemoryUse::Constant : MemoryUse::Variable,
                      std::string(graph::nameOf(variable.type)), variable.shape,
                      liveness_.variables[v]});
    }
    add(tile, item, address, bytes);
  });
}

void MemoryRecorder::addUse(std::uint32_t computeSet, graph::VariableId variable) {
  const graph::VariableId home = liveness_.homes[variable];
  if (itemOfVariable_[home] == kNoItem || lastUse_[home] == computeSet + 1)
    return;
  lastUse_[home] = computeSet + 1;
  computeSetItems_[computeSet].push_back(itemOfVariable_[home]);
}

std::vector<std::vector<MemoryRecorder::Item>>
MemoryRecorder::itemsOfSteps(std::span<const graph::ProgramNode *const> nodes) const {
  std::vector<std::vector<Item>> steps;
  for (const graph::ProgramNode *node : nodes) {
    std::vector<Item> &items = steps.emplace_back();
    if (!node)
      continue;
    if (const auto *execute = graph::as<graph::kind::Execute>(*node))
      items = computeSetItems_[execute->computeSet];
    graph::visitTensors(*node, [&](const graph::TypedView &tensor) {
      for (const graph::Run &run : tensor.view.elementRuns())
        if (const Item item = itemOf(run.variable); item != kNoItem)
          items.push_back(item);
    });
    std::ranges::sort(items);
    items.erase(std::ranges::unique(items).begin(), items.end());
  }
  return steps;
}

MemoryLayout MemoryRecorder::finish() {
  const LiveRanges &ranges = liveness_.ranges;
  for (LiveRanges::Id id = 0; id < ranges.size(); ++id)
    layout_.ranges.emplace_back(ranges.of(id).begin(), ranges.of(id).end());
  layout_.firstBlock.push_back(0);
  for (GlobalTile tile = 0; tile < blocks_.size(); ++tile) {
    std::vector<MemoryBlock> blocks = std::exchange(blocks_[tile], {});
    std::ranges::stable_sort(blocks, {}, &MemoryBlock::address);
    layout_.blocks.insert(layout_.blocks.end(), blocks.begin(), blocks.end());
    layout_.firstBlock.push_back(layout_.blocks.size());
    layout_.bytesWithGaps.push_back(allocator_.used(tile));
  }
  return std::move(layout_);
}

} // namespace copse::compiler
