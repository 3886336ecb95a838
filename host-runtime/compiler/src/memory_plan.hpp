#pragma once

#include "compile_progress.hpp"
#include "tile_code.hpp"
#include "vertex_memory.hpp"

#include "compiler/compile.hpp"
#include "compiler/liveness.hpp"
#include "compiler/memory_rules.hpp"
#include "compiler/memory_sharing.hpp"
#include "compiler/placement.hpp"
#include "compiler/program_lowering.hpp"
#include "compiler/tile_allocator.hpp"
#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace copse::compiler {

/// The inputs of all plans of one compilation.
struct PlanInputs {
  const graph::Model &model;
  std::span<const graph::ProgramPtr> programs;
  const TargetMemory &memory;
  const VertexIndex &index;
  const TileCode &code;
};

/// One strategy for allocating tile memory.
struct MemoryStrategy {
  bool shares;  ///< items that are never live together share memory
  bool spreads; ///< tiles begin at different addresses (TileAllocator::spread)
  PlacementOrder order = PlacementOrder::FirstUse;
};

/// The addresses of everything that a program has in tile memory. Which strategy works best cannot
/// be known in advance, so plans are made for one strategy at a time until one fits. The rest of
/// the compilation follows that plan and makes no decisions about memory.
///
/// Immutable. The inputs must outlive it.
class MemoryPlan {
public:
  MemoryPlan(const PlanInputs &inputs, const MemoryStrategy &strategy,
             std::shared_ptr<const Liveness> liveness);
  MemoryPlan(const MemoryPlan &) = delete;
  MemoryPlan &operator=(const MemoryPlan &) = delete;

  /// Returns the memory that each tile needs, in whole pages, but at least the target's [bytes].
  std::uint64_t bytesNeeded() const;
  /// Returns true if the target's memory suffices.
  bool fits() const { return bytesNeeded() <= target_.bytes; }
  /// Returns true if a tile is so full that no order of blocks makes it fit.
  bool isHopeless() const;

  const TileAllocator &allocator() const { return allocator_; }
  const ControlCells &cells() const { return cells_; }
  const Liveness &liveness() const { return *liveness_; }
  const Placement &placement() const { return placement_; }
  const VertexMemory &vertices() const { return vertices_; }
  /// Returns the bytes at the end of each tile's memory that are kept for control code. Shape
  /// [tiles]
  const std::vector<std::uint64_t> &controlCode() const { return controlCode_; }

private:
  const TargetMemory &target_;
  std::shared_ptr<const Liveness> liveness_;
  // In the order in which they allocate memory.
  TileAllocator allocator_;
  ControlCells cells_;
  MemoryRules rules_;
  Placement placement_;
  VertexMemory vertices_;
  MemorySharing sharing_;
  std::vector<std::uint64_t> controlCode_;
};

/// Returns a plan that fits, or else the last one that was tried. In a checked program, variables
/// do not share memory if tiles are large enough, so that a variable never begins with the contents
/// of another.
/// \throws poplar::graph_connection_error, invalid_tile_mapping
std::unique_ptr<const MemoryPlan> findMemoryPlan(const PlanInputs &inputs,
                                                 CompileProgress &progress);

} // namespace copse::compiler
