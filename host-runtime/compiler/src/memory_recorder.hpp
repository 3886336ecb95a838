#pragma once

#include "compiler/liveness.hpp"
#include "compiler/memory_layout.hpp"
#include "compiler/placement.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// Collects what lies where, once everything has its address.
class MemoryRecorder {
public:
  using Item = std::uint32_t;

  MemoryRecorder(const TileAllocator &allocator, const Liveness &liveness);

  Item addItem(MemoryItem item);
  /// Joined with the block before it on \p tile, if that is the same item's and ends here.
  void add(GlobalTile tile, Item item, std::uint64_t address, std::uint64_t bytes);
  /// All variables of \p model that have memory.
  void addVariables(const graph::Model &model, const Placement &placement);

  /// Vertices of \p computeSet work on \p variable. Compute sets come in order, after addVariables().
  void addUse(std::uint32_t computeSet, graph::VariableId variable);
  void addBuffer(std::uint32_t computeSet, Item buffer) {
    computeSetItems_[computeSet].push_back(buffer);
  }

  /// All but the steps of the layout.
  MemoryLayout finish();
  /// MemoryLayout::stepItems.
  /// \param nodes  the program of each step; may be null
  std::vector<std::vector<Item>>
  itemsOfSteps(std::span<const graph::ProgramNode *const> nodes) const;

private:
  static constexpr Item kNoItem = 0xFFFFFFFF;

  const TileAllocator &allocator_;
  const Liveness &liveness_;
  Item itemOf(graph::VariableId variable) const {
    return itemOfVariable_[liveness_.homes[variable]];
  }

  MemoryLayout layout_;                            ///< but for its blocks
  std::vector<std::vector<Item>> computeSetItems_; ///< shape [compute sets]
  std::vector<std::vector<MemoryBlock>> blocks_;   ///< shape [tiles]
  std::vector<Item> itemOfVariable_;               ///< shape [variables]; kNoItem: it has no memory
  std::vector<std::uint32_t> lastUse_;             ///< shape [variables]: compute sets + 1
};

} // namespace copse::compiler
