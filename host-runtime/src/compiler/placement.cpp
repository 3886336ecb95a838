#include "compiler/placement.hpp"

#include "poplar/exceptions.hpp"

#include <algorithm>
#include <limits>

namespace copse::compiler {

using graph::Run;
using wire::Region;

namespace {

// 16 bytes serve every pointer layout (SCALED_PTR128); a block of up to 8 bytes is not worth that
// much padding.
std::uint32_t alignmentOf(std::uint64_t blockBytes) { return blockBytes > 8 ? 16 : 8; }

[[noreturn]] void throwUnmapped(const graph::Variable &variable, std::uint64_t element,
                                const std::string &user) {
  throw poplar::invalid_tile_mapping("variable '" + variable.name + "': element " +
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

Placement::Placement(const graph::Model &model, TileAllocator &allocator) : model_(model) {
  std::vector<std::uint64_t> bytesOnTile(std::size_t{model.ipus} * model.tilesPerIpu, 0);
  elementBytes_.reserve(model.variables.size());
  for (const graph::Variable &variable : model.variables) {
    firstPiece_.push_back(pieces_.size());
    elementBytes_.push_back(graph::elementBytes(model, variable.type));
    place(variable, elementBytes_.back(), allocator, bytesOnTile);
  }
  firstPiece_.push_back(pieces_.size());
}

void Placement::place(const graph::Variable &variable, std::uint32_t elementBytes,
                      TileAllocator &allocator, std::vector<std::uint64_t> &bytesOnTile) {
  const auto mapped = variable.tiles.pieces(0, variable.elements);
  std::vector<GlobalTile> tiles;
  for (const auto &piece : mapped) {
    if (piece.tile == graph::kNoTile)
      continue;
    if (bytesOnTile[piece.tile] == 0)
      tiles.push_back(piece.tile);
    bytesOnTile[piece.tile] += (piece.end - piece.begin) * elementBytes;
  }
  // From here on bytesOnTile holds the next free address of the variable's block on each of its
  // tiles.
  for (const GlobalTile tile : tiles) {
    const std::uint64_t bytes = bytesOnTile[tile];
    bytesOnTile[tile] = allocator.allocate(tile, bytes, alignmentOf(bytes));
  }
  for (const auto &piece : mapped) {
    Piece placed{piece.begin, piece.end, piece.tile, 0};
    if (piece.tile != graph::kNoTile) {
      placed.address = static_cast<std::uint32_t>(bytesOnTile[piece.tile]);
      bytesOnTile[piece.tile] += (piece.end - piece.begin) * elementBytes;
    }
    pieces_.push_back(placed);
  }
  for (const GlobalTile tile : tiles)
    bytesOnTile[tile] = 0;
}

const Placement::Piece *Placement::pieceOf(graph::VariableId variable,
                                           std::uint64_t element) const {
  const auto first = pieces_.begin() + static_cast<std::ptrdiff_t>(firstPiece_[variable]);
  const auto last = pieces_.begin() + static_cast<std::ptrdiff_t>(firstPiece_[variable + 1]);
  const auto after = std::upper_bound(
      first, last, element, [](std::uint64_t e, const Piece &piece) { return e < piece.begin; });
  return &*(after - 1);
}

void Placement::locate(std::span<const Run> runs, const std::string &user,
                       std::vector<Region> &out) const {
  for (const Run &run : runs) {
    const std::uint32_t size = elementBytes_[run.variable];
    std::uint64_t done = 0;
    while (done < run.count) {
      const std::uint64_t element =
          run.begin + static_cast<std::uint64_t>(static_cast<std::int64_t>(done) * run.stride);
      const Piece *piece = pieceOf(run.variable, element);
      if (piece->tile == graph::kNoTile)
        throwUnmapped(model_.variables[run.variable], element, user);
      // How many of the run's elements stay on this piece?
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

std::uint64_t Placement::bytesOn(graph::VariableId variable, GlobalTile tile) const {
  std::uint64_t bytes = 0;
  for (std::uint64_t i = firstPiece_[variable]; i < firstPiece_[variable + 1]; ++i)
    if (pieces_[i].tile == tile)
      bytes += (pieces_[i].end - pieces_[i].begin) * elementBytes_[variable];
  return bytes;
}

} // namespace copse::compiler
