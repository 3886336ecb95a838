#pragma once

#include "compiler/liveness.hpp"
#include "compiler/memory_rules.hpp"
#include "compiler/memory_sharing.hpp"
#include "compiler/tile_allocator.hpp"
#include "compiler/where.hpp"
#include "graph/model.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace copse::compiler {

/// The order in which blocks that share memory get addresses, each the lowest that is free for it.
enum class PlacementOrder : std::uint8_t {
  FirstUse,    ///< blocks that are live together become adjacent
  LargestFirst ///< fewer gaps if there are few large blocks
};

/// The tile and address of every variable. The elements of a variable on one tile form one block in
/// ascending order, so a contiguous run on one tile is contiguous in memory.
class Placement {
public:
  /// Places the mapped elements of all variables that are always live and have no rules.
  Placement(const graph::Model &model, const Liveness &liveness, MemoryRules &rules,
            TileAllocator &allocator);

  /// Places the other variables, once everything that shares no memory has been allocated.
  void placeShared(MemorySharing &sharing, PlacementOrder order = PlacementOrder::FirstUse);

  /// Appends the regions that \p runs refer to, in order; regions that are adjacent in memory are
  /// merged. Region::tile is a GlobalTile.
  /// \throws poplar::invalid_tile_mapping naming a variable with unmapped elements, and \p user,
  ///   which uses them
  void locate(std::span<const graph::Run> runs, const Where &user,
              std::vector<wire::Region> &out) const;

  /// Calls \p f(variable, tile, address, bytes) for each piece with memory. A variable that uses
  /// another's memory has no pieces of its own.
  void visitPieces(const auto &f) const {
    for (graph::VariableId v = 0; v + 1 < firstPiece_.size(); ++v)
      for (std::uint64_t i = firstPiece_[v]; i < firstPiece_[v + 1]; ++i)
        if (const Piece &piece = pieces_[i]; piece.tile != graph::kNoTile)
          f(v, piece.tile, piece.address, (piece.end - piece.begin) * elementBytes_[v]);
  }

private:
  struct Piece {
    std::uint64_t begin, end;
    GlobalTile tile; ///< graph::kNoTile: unmapped
    std::uint32_t address;
  };
  /// The elements on one tile of a variable that shares memory or has rules.
  struct Block {
    GlobalTile tile;
    LiveRanges::Id range;
    std::uint64_t bytes;
    std::optional<MemoryRules::Block> rules;
    std::uint32_t address = 0;
  };
  struct SharedPiece {
    std::size_t piece, block;
  };
  /// The blocks of one tile that are live at equal times.
  struct Group {
    std::span<const std::size_t> blocks;
    std::uint64_t bytes;
  };
  void place(graph::VariableId variable, TileAllocator &allocator,
             std::vector<std::uint64_t> &onTile);
  void addBlocks(graph::VariableId variable, const std::vector<GlobalTile> &tiles,
                 std::vector<std::uint64_t> &onTile);
  void placeByRules(Block &block, MemorySharing &sharing);
  void placeTogether(std::span<const std::size_t> blocks, MemorySharing &sharing);
  const Piece *pieceOf(graph::VariableId variable, std::uint64_t element) const;

  const graph::Model &model_;
  const Liveness &liveness_;
  MemoryRules &rules_;
  std::vector<std::uint32_t> elementBytes_; ///< shape [variables]
  std::vector<std::uint64_t> firstPiece_;   ///< shape [variables + 1], into pieces_
  std::vector<Piece> pieces_;
  std::vector<Block> blocks_; ///< until placeShared()
  /// Their addresses are relative to their blocks.
  std::vector<SharedPiece> sharedPieces_;
};

/// Appends \p region, or extends the last region if \p region is adjacent in memory.
void appendMerged(std::vector<wire::Region> &regions, const wire::Region &region);

} // namespace copse::compiler
