#include "compiler/placement.hpp"

#include "graph/variable_text.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace copse::compiler {

using graph::Run;
using wire::Region;

namespace {

// An alignment of 16 bytes suits every pointer layout (SCALED_PTR128). For a block of up to 8
// bytes, that much padding is not worthwhile.
std::uint32_t alignmentOf(std::uint64_t blockBytes) { return blockBytes > 8 ? 16 : 8; }

[[noreturn]] void throwUnmapped(const graph::Variable &variable, std::uint64_t element,
                                const std::string &user) {
  throw poplar::invalid_tile_mapping(graph::variableText(variable) + ": element " +
                                     std::to_string(element) + " of " +
                                     std::to_string(variable.elements) + " has no tile, but " +
                                     user + " uses it; call Graph::setTileMapping() for it");
}

} // namespace

void appendMerged(std::vector<Region> &regions, const Region &region) {
  if (!regions.empty()) {
    Region &last = regions.back();
    const std::uint64_t follows = std::uint64_t{last.address} + last.bytes;
    const bool fits =
        std::uint64_t{last.bytes} + region.bytes <= std::numeric_limits<std::uint32_t>::max();
    if (last.tile == region.tile && last.count == 1 && region.count == 1 &&
        follows == region.address && fits) {
      last.bytes += region.bytes;
      return;
    }
  }
  regions.push_back(region);
}

Placement::Placement(const graph::Model &model, const Liveness &liveness, MemoryRules &rules,
                     TileAllocator &allocator)
    : model_(model), liveness_(liveness), rules_(rules) {
  std::vector<std::uint64_t> onTile(allocator.tiles(), 0);
  elementBytes_.reserve(model.variables.size());
  firstPiece_.reserve(model.variables.size() + 1);
  for (graph::VariableId v = 0; v < model.variables.size(); ++v) {
    firstPiece_.push_back(pieces_.size());
    elementBytes_.push_back(graph::elementBytes(model, model.variables[v].type));
    if (liveness.homes[v] == v)
      place(v, allocator, onTile);
  }
  firstPiece_.push_back(pieces_.size());
}

/// \param onTile  shape [tiles], all 0
void Placement::place(graph::VariableId v, TileAllocator &allocator,
                      std::vector<std::uint64_t> &onTile) {
  const graph::Variable &variable = model_.variables[v];
  const auto mapped = variable.tiles.pieces(0, variable.elements);
  std::vector<GlobalTile> tiles;
  for (const auto &piece : mapped) {
    if (piece.tile == graph::kNoTile)
      continue;
    if (onTile[piece.tile] == 0)
      tiles.push_back(piece.tile);
    onTile[piece.tile] += (piece.end - piece.begin) * elementBytes_[v];
  }
  // From here on, onTile is the next free address of the variable's block on each of its tiles;
  // addresses in a shared block begin at 0.
  const bool shared = liveness_.variables[v] != LiveRanges::kAlways || rules_.concern(v);
  for (const GlobalTile tile : tiles) {
    const std::uint64_t bytes = onTile[tile];
    onTile[tile] = shared ? 0 : allocator.allocate(tile, bytes, alignmentOf(bytes));
  }
  for (const auto &piece : mapped) {
    Piece placed{piece.begin, piece.end, piece.tile, 0};
    if (piece.tile != graph::kNoTile) {
      placed.address = static_cast<std::uint32_t>(onTile[piece.tile]);
      onTile[piece.tile] += (piece.end - piece.begin) * elementBytes_[v];
    }
    pieces_.push_back(placed);
  }
  if (shared)
    addBlocks(v, tiles, onTile);
  for (const GlobalTile tile : tiles)
    onTile[tile] = 0;
}

/// \param onTile  bytes of each block; is overwritten
void Placement::addBlocks(graph::VariableId v, const std::vector<GlobalTile> &tiles,
                          std::vector<std::uint64_t> &onTile) {
  for (const GlobalTile tile : tiles) {
    blocks_.push_back({tile, liveness_.variables[v], onTile[tile], rules_.find(v, tile)});
    onTile[tile] = blocks_.size() - 1;
  }
  for (std::size_t piece = firstPiece_[v]; piece < pieces_.size(); ++piece)
    if (pieces_[piece].tile != graph::kNoTile)
      sharedPieces_.push_back({piece, onTile[pieces_[piece].tile]});
}

void Placement::placeByRules(Block &block, MemorySharing &sharing) {
  block.address = sharing.place(block.tile, block.bytes, alignmentOf(block.bytes), block.range,
                                rules_.bounds(*block.rules));
  rules_.placed(*block.rules, {block.address, block.address + block.bytes});
}

/// Combines blocks that are live at equal times into one block of the shared part, which thus has
/// few blocks, however many variables there are.
void Placement::placeTogether(std::span<const std::size_t> blocks, MemorySharing &sharing) {
  constexpr std::uint32_t kAlign = 16;
  const Block &any = blocks_[blocks.front()];
  std::uint64_t bytes = 0;
  for (const std::size_t b : blocks) {
    const std::uint32_t align = alignmentOf(blocks_[b].bytes);
    bytes = (bytes + align - 1) / align * align;
    blocks_[b].address = static_cast<std::uint32_t>(bytes);
    bytes += blocks_[b].bytes;
  }
  const std::uint32_t base = sharing.place(any.tile, bytes, kAlign, any.range);
  for (const std::size_t b : blocks)
    blocks_[b].address += base;
}

void Placement::placeShared(MemorySharing &sharing, PlacementOrder order) {
  std::vector<std::size_t> blocks;
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    if (blocks_[b].rules) // first, while there is the most choice
      placeByRules(blocks_[b], sharing);
    else
      blocks.push_back(b);
  const auto keyOf = [&](std::size_t b) {
    const LiveRanges::Id range = blocks_[b].range;
    return std::tuple(blocks_[b].tile, liveness_.ranges.firstStep(range), range, b);
  };
  std::sort(blocks.begin(), blocks.end(),
            [&](std::size_t a, std::size_t b) { return keyOf(a) < keyOf(b); });
  std::vector<Group> groups;
  for (auto first = blocks.begin(); first != blocks.end();) {
    const auto last = std::find_if(first, blocks.end(), [&](std::size_t b) {
      const bool isAlone = blocks_[b].range == LiveRanges::kNever && b != *first;
      return isAlone || blocks_[b].tile != blocks_[*first].tile ||
             blocks_[b].range != blocks_[*first].range;
    });
    groups.push_back({{first, last}, 0});
    for (const std::size_t b : groups.back().blocks)
      groups.back().bytes += blocks_[b].bytes;
    first = last;
  }
  if (order == PlacementOrder::LargestFirst)
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group &a, const Group &b) { return a.bytes > b.bytes; });
  // Variables that are never live come last, because they may overlap anything.
  const auto isNever = [&](const Group &group) {
    return blocks_[group.blocks.front()].range == LiveRanges::kNever;
  };
  std::stable_partition(groups.begin(), groups.end(),
                        [&](const Group &group) { return !isNever(group); });
  for (const Group &group : groups) {
    Block &first = blocks_[group.blocks.front()];
    const auto place =
        isNever(group) ? sharing.placeOnOthers(first.tile, first.bytes) : std::nullopt;
    if (place)
      first.address = *place;
    else
      placeTogether(group.blocks, sharing);
  }
  for (const SharedPiece &shared : sharedPieces_)
    pieces_[shared.piece].address += blocks_[shared.block].address;
  blocks_ = {};
  sharedPieces_ = {};
}

const Placement::Piece *Placement::pieceOf(graph::VariableId variable,
                                           std::uint64_t element) const {
  const auto first = pieces_.begin() + static_cast<std::ptrdiff_t>(firstPiece_[variable]);
  const auto last = pieces_.begin() + static_cast<std::ptrdiff_t>(firstPiece_[variable + 1]);
  const auto after = std::upper_bound(
      first, last, element, [](std::uint64_t e, const Piece &piece) { return e < piece.begin; });
  return &*(after - 1);
}

void Placement::locate(std::span<const Run> runs, const Where &user,
                       std::vector<Region> &out) const {
  for (const Run &run : runs) {
    const graph::VariableId home = liveness_.homes[run.variable];
    const std::uint32_t size = elementBytes_[home];
    std::uint64_t done = 0;
    while (done < run.count) {
      const std::uint64_t element =
          run.begin + static_cast<std::uint64_t>(static_cast<std::int64_t>(done) * run.stride);
      const Piece *piece = pieceOf(home, element);
      if (piece->tile == graph::kNoTile)
        throwUnmapped(model_.variables[run.variable], element, user.text());
      // Count how many of the run's elements are in this piece.
      std::uint64_t count = run.count - done;
      if (run.stride > 0)
        count = std::min(count,
                         (piece->end - 1 - element) / static_cast<std::uint64_t>(run.stride) + 1);
      else if (run.stride < 0)
        count =
            std::min(count, (element - piece->begin) / static_cast<std::uint64_t>(-run.stride) + 1);
      const auto address =
          static_cast<std::uint32_t>(piece->address + (element - piece->begin) * size);
      if (run.stride == 1) {
        appendMerged(out, {piece->tile, address, static_cast<std::uint32_t>(count * size), 1, 0});
      } else {
        const auto stride = static_cast<std::int32_t>(run.stride * static_cast<std::int64_t>(size));
        appendMerged(out, {piece->tile, address, size, static_cast<std::uint32_t>(count),
                           count > 1 ? stride : 0});
      }
      done += count;
    }
  }
}

} // namespace copse::compiler
