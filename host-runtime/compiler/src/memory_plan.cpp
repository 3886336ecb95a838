#include "memory_plan.hpp"

#include "control_code.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace copse::compiler {
namespace {

/// The gap in checked programs between items that do not share memory [bytes].
constexpr std::uint64_t kCheckedGap = 32;

/// Progress when liveness is known, and when everything has an address.
constexpr unsigned kLivenessPercent = 20, kPlacedPercent = 60;

/// Returns the bytes of variables on the tile that has most of them, if none share memory.
std::uint64_t mostBytesOfVariables(const graph::Model &model) {
  std::vector<std::uint64_t> bytes(std::size_t{model.ipus} * model.tilesPerIpu);
  for (const graph::Variable &variable : model.variables)
    for (const auto &piece : variable.tiles.pieces(0, variable.elements))
      if (piece.tile < bytes.size())
        bytes[piece.tile] += (piece.end - piece.begin) * graph::elementBytes(model, variable.type);
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

/// Returns the number of pages for spreading. Assumes that vertices and buffers, whose sizes are
/// not known yet, need as much memory as variables.
std::uint32_t pagesToSpreadOver(const graph::Model &model, const TargetMemory &memory) {
  constexpr std::uint64_t kShift = TileAllocator::kManyPages * TileAllocator::kPageBytes;
  return 2 * mostBytesOfVariables(model) + kShift < memory.bytes ? TileAllocator::kManyPages
                                                                 : TileAllocator::kFewPages;
}

/// Returns an allocator for all tiles, with tile code already reserved.
TileAllocator allocatorFor(const PlanInputs &in, const MemoryStrategy &strategy) {
  const TargetMemory &memory = in.memory;
  TileAllocator allocator(in.model.ipus * in.model.tilesPerIpu, memory.base,
                          memory.mayOverflow ? memory.addressable() : memory.bytes);
  if (strategy.spreads)
    allocator.spread(in.model.tilesPerIpu, pagesToSpreadOver(in.model, memory));
  in.code.reserve(allocator);
  if (memory.checked && !strategy.shares)
    allocator.leaveGaps(kCheckedGap);
  return allocator;
}

ControlCells allocateCells(const PlanInputs &in, TileAllocator &allocator) {
  ControlCells cells{in.memory.base, maxRemoteRows(in.programs, in.model), in.model.ipus};
  for (std::uint32_t ipu = 0; ipu < in.model.ipus; ++ipu)
    cells.address = allocator.allocate(ipu * in.model.tilesPerIpu, cells.bytes(), 16);
  return cells;
}

std::uint64_t mostBytes(const TileAllocator &allocator) {
  std::uint64_t most = 0;
  for (GlobalTile tile = 0; tile < allocator.tiles(); ++tile)
    most = std::max(most, allocator.bytesFor(tile));
  return most;
}

/// Makes plans for one strategy after another.
class Planner {
public:
  Planner(const PlanInputs &inputs, CompileProgress &progress)
      : inputs_(inputs), progress_(progress) {}

  /// Returns the first plan that fits, or the last one tried.
  std::unique_ptr<const MemoryPlan> find(bool shares) {
    // Memory elements matter to tile code only.
    if (inputs_.code.isEmpty()) {
      auto spread = plan({shares, true});
      // A tile that may overflow does so once it is full, and spreading would make that earlier.
      if (spread->fits() || (!inputs_.memory.mayOverflow && spread->isHopeless()))
        return spread;
    }
    auto plain = plan({shares, false});
    if (!shares || plain->fits() || plain->isHopeless())
      return plain;
    plain.reset();
    return plan({shares, false, PlacementOrder::LargestFirst});
  }

private:
  std::unique_ptr<const MemoryPlan> plan(const MemoryStrategy &strategy) {
    auto live = liveness(strategy.shares);
    progress_.begin("place variables");
    auto made = std::make_unique<const MemoryPlan>(inputs_, strategy, std::move(live));
    progress_.reach(kPlacedPercent);
    return made;
  }

  std::shared_ptr<const Liveness> liveness(bool shares) {
    if (!shares)
      return std::make_shared<const Liveness>(nothingShared(inputs_.model));
    if (!shared_) {
      progress_.begin("find what is live when");
      shared_ = std::make_shared<const Liveness>(
          findLiveness(inputs_.model, inputs_.programs, inputs_.index));
      progress_.reach(kLivenessPercent);
    }
    return shared_;
  }

  const PlanInputs &inputs_;
  CompileProgress &progress_;
  std::shared_ptr<const Liveness> shared_;
};

} // namespace

MemoryPlan::MemoryPlan(const PlanInputs &in, const MemoryStrategy &strategy,
                       std::shared_ptr<const Liveness> liveness)
    : target_(in.memory), liveness_(std::move(liveness)), allocator_(allocatorFor(in, strategy)),
      cells_(allocateCells(in, allocator_)), rules_(in.model, in.index, liveness_->homes),
      placement_(in.model, *liveness_, rules_, allocator_),
      vertices_(in.model, in.index, placement_, rules_, allocator_),
      sharing_(allocator_, liveness_->ranges) {
  placement_.placeShared(sharing_, strategy.order);
  vertices_.placeBuffers(*liveness_, sharing_);
  controlCode_ = reserveControlCode(in.model, in.index, allocator_);
}

std::uint64_t MemoryPlan::bytesNeeded() const {
  constexpr std::uint64_t kPage = 4096;
  return std::max(target_.bytes, (mostBytes(allocator_) + kPage - 1) / kPage * kPage);
}

/// Allows an eighth for what depends on addresses: an edge may need a buffer in one order of blocks
/// only.
bool MemoryPlan::isHopeless() const {
  const std::uint64_t bytes =
      allocator_.overflowing().empty() ? target_.bytes : allocator_.capacity();
  for (GlobalTile tile = 0; tile < allocator_.tiles(); ++tile)
    if (allocator_.bytesFor(tile) > bytes && sharing_.leastUsed(tile) > bytes + bytes / 8)
      return true;
  return false;
}

std::unique_ptr<const MemoryPlan> findMemoryPlan(const PlanInputs &inputs,
                                                 CompileProgress &progress) {
  Planner planner(inputs, progress);
  if (inputs.memory.checked && inputs.memory.sharing)
    if (auto apart = planner.find(false); apart->fits())
      return apart;
  return planner.find(inputs.memory.sharing);
}

} // namespace copse::compiler
