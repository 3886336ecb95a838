#pragma once

#include "compiler/liveness.hpp"
#include "compiler/memory_layout.hpp"
#include "compiler/placement.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// Reports show which variable or buffer uses each byte of tile memory, and when. This class
/// records that layout once everything has an address.
///
/// Life: add all items and their blocks, then all uses in the order of the compute sets, then call
/// finish().
class MemoryRecorder {
public:
  using Item = std::uint32_t;

  MemoryRecorder(const TileAllocator &allocator, const Liveness &liveness);

  Item addItem(MemoryItem item);
  /// Adds a block, merged with the previous block on \p tile if that is adjacent and of this item.
  void add(GlobalTile tile, Item item, std::uint64_t address, std::uint64_t bytes);
  /// Adds all variables of \p model that have memory.
  void addVariables(const graph::Model &model, const Placement &placement);

  /// Records that vertices of \p computeSet use \p variable. Compute sets must come in order, after
  /// addVariables().
  void addUse(std::uint32_t computeSet, graph::VariableId variable);
  void addBuffer(std::uint32_t computeSet, Item buffer) {
    computeSetItems_[computeSet].push_back(buffer);
  }

  /// Returns the layout without steps.
  MemoryLayout finish();
  /// Returns MemoryLayout::stepItems.
  /// \param nodes  the program of each step; entries may be null
  std::vector<std::vector<Item>>
  itemsOfSteps(std::span<const graph::ProgramNode *const> nodes) const;

private:
  static constexpr Item kNoItem = 0xFFFFFFFF;

  const TileAllocator &allocator_;
  const Liveness &liveness_;
  Item itemOf(graph::VariableId variable) const {
    return itemOfVariable_[liveness_.homes[variable]];
  }

  MemoryLayout layout_;                            ///< without blocks
  std::vector<std::vector<Item>> computeSetItems_; ///< shape [compute sets]
  std::vector<std::vector<MemoryBlock>> blocks_;   ///< shape [tiles]
  std::vector<Item> itemOfVariable_;               ///< shape [variables]; kNoItem: no memory
  std::vector<std::uint32_t> lastUse_;             ///< shape [variables]: last compute set, plus 1
};

} // namespace copse::compiler
