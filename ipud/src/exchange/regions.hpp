#pragma once

#include "tile/tile_memory.hpp"

#include "wire/image.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace copse::ipud {

/// Copies between tile memory and packed buffers. Regions and moves must have been validated; these
/// functions check nothing.

/// Returns the total size of \p regions [bytes].
std::uint64_t packedBytes(std::span<const wire::Region> regions);

/// Writes \p regions without gaps to \p out, which has packedBytes(regions) bytes.
void pack(const TileMemory &memory, std::span<const wire::Region> regions, std::byte *out);

/// Reads what pack() writes, from \p in, into \p regions.
void unpack(const TileMemory &memory, std::span<const wire::Region> regions, const std::byte *in);

/// Returns true if the moves are large enough that waking other threads pays off.
bool isWorthSharing(std::span<const wire::Move> moves);

/// Does the first \p count of \p moves in order, and prefetches for those after them.
void runFirstMoves(const TileMemory &memory, std::span<const wire::Move> moves, std::size_t count);

/// Does the on-chip moves of one exchange. If \p overlapping, all sources are read before any
/// destination is written.
/// \param staging  a buffer that the caller keeps, so that its memory is reused
void runMoves(const TileMemory &memory, std::span<const wire::Move> moves, bool overlapping,
              std::vector<std::byte> &staging);

} // namespace copse::ipud
