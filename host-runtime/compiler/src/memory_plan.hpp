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

/// What all plans of one compilation are made from.
struct PlanInputs {
  const graph::Model &model;
  std::span<const graph::ProgramPtr> programs;
  const TargetMemory &memory;
  const VertexIndex &index;
  const TileCode &code;
};

/// One way of giving tile memory away.
struct MemoryWay {
  bool shares;  ///< what is never live together has the same memory
  bool spreads; ///< tiles begin at different addresses (TileAllocator::spread)
  PlacementOrder order = PlacementOrder::FirstUse;
};

/// The address of everything that a program has in tile memory. There are several ways to find
/// addresses, and which one is best cannot be known before one has been tried. So a plan is made for
/// a way at a time, until one fits; the compilation then follows this plan and decides nothing about
/// memory any more.
///
/// Immutable. The inputs must outlive it.
class MemoryPlan {
public:
  MemoryPlan(const PlanInputs &inputs, const MemoryWay &way,
             std::shared_ptr<const Liveness> liveness);
  MemoryPlan(const MemoryPlan &) = delete;
  MemoryPlan &operator=(const MemoryPlan &) = delete;

  /// Returns the memory that each tile must have, in whole pages; no less than the target's. [bytes]
  std::uint64_t bytesNeeded() const;
  /// Returns whether the target's memory suffices.
  bool fits() const { return bytesNeeded() <= target_.bytes; }
  /// Returns whether a tile is so full that no order of blocks makes it fit.
  bool isHopeless() const;

  const TileAllocator &allocator() const { return allocator_; }
  const ControlCells &cells() const { return cells_; }
  const Liveness &liveness() const { return *liveness_; }
  const Placement &placement() const { return placement_; }
  const VertexMemory &vertices() const { return vertices_; }
  /// The bytes before the end of each tile's memory that are kept for control code. Shape [tiles]
  const std::vector<std::uint64_t> &controlCode() const { return controlCode_; }

private:
  const TargetMemory &target_;
  std::shared_ptr<const Liveness> liveness_;
  // In the order in which they take memory.
  TileAllocator allocator_;
  ControlCells cells_;
  MemoryRules rules_;
  Placement placement_;
  VertexMemory vertices_;
  MemorySharing sharing_;
  std::vector<std::uint64_t> controlCode_;
};

/// Returns a plan that fits, or else the last that was tried. Of a checked program, variables have
/// memory of their own if tiles are large enough for that: then nothing is left of one where another
/// one begins its life.
/// \throws poplar::graph_connection_error, invalid_tile_mapping
std::unique_ptr<const MemoryPlan> findMemoryPlan(const PlanInputs &inputs,
                                                 CompileProgress &progress);

} // namespace copse::compiler
