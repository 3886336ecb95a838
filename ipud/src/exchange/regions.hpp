#pragma once

#include "tile/tile_memory.hpp"

#include "wire/image.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace copse::ipud {

/// Copies between tile memory and packed buffers. Regions and moves were validated before: nothing
/// is checked here.

/// Sum of the sizes of \p regions [bytes].
std::uint64_t packedBytes(std::span<const wire::Region> regions);

/// Writes \p regions to \p out, dense, one after another: packedBytes(regions) bytes.
void pack(const TileMemory &memory, std::span<const wire::Region> regions, std::byte *out);

/// The reverse of pack().
void unpack(const TileMemory &memory, std::span<const wire::Region> regions, const std::byte *in);

/// Whether moves have so many bytes that it pays to wake other threads for them.
bool isWorthSharing(std::span<const wire::Move> moves);

/// Does the first \p count of \p moves one after the other; those behind them come soon.
void runFirstMoves(const TileMemory &memory, std::span<const wire::Move> moves, std::size_t count);

/// Does the on-chip moves of one exchange. If \p overlapping, all sources are read before any
/// destination is written.
/// \param staging  kept by the caller, so that its memory is reused
void runMoves(const TileMemory &memory, std::span<const wire::Move> moves, bool overlapping,
              std::vector<std::byte> &staging);

} // namespace copse::ipud
