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

/// In which order blocks that share memory are given theirs, each the lowest that is free for it.
enum class PlacementOrder : std::uint8_t {
  FirstUse,    ///< what is live together stands together
  LargestFirst ///< leaves fewer gaps where large blocks are few
};

/// Where every variable lies: which tile, which address. The elements of one variable on one tile
/// stand in ascending order in one block, so that a contiguous run on one tile is contiguous in its
/// memory.
class Placement {
public:
  /// Allocates the mapped elements of all variables that are live always and have no rules.
  Placement(const graph::Model &model, const Liveness &liveness, MemoryRules &rules,
            TileAllocator &allocator);

  /// Gives memory to the others, once everything is allocated that shares none.
  void placeShared(MemorySharing &sharing, PlacementOrder order = PlacementOrder::FirstUse);

  /// Appends the regions that \p runs refer to, in order; neighbours that follow on in memory are
  /// one region. Region::tile is a GlobalTile.
  /// \throws poplar::invalid_tile_mapping naming a variable with unmapped elements; \p user says
  ///   who wants them
  void locate(std::span<const graph::Run> runs, const Where &user,
              std::vector<wire::Region> &out) const;

  /// Calls \p f(variable, tile, address, bytes) for each piece that has memory; a variable whose memory is
  /// another's has none.
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
  /// The elements on one tile of a variable that is shared or has rules.
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
  /// Blocks of one tile that are live at the same times.
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
  std::vector<Block> blocks_;             ///< until placeShared()
  std::vector<SharedPiece> sharedPieces_; ///< whose addresses count from their block's
};

/// Appends \p region, or lengthens the last region if \p region follows on from it in memory.
void appendMerged(std::vector<wire::Region> &regions, const wire::Region &region);

} // namespace copse::compiler
