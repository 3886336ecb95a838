#pragma once

#include <cstdint>

/// The calling convention between ipud and native codelet modules. popc generates the callees, ipud
/// is the caller.
namespace copse::wire {

/// `state` is the native address of the vertex state: slot | tile address. A codelet finds its
/// tile's slot as `state & ~(2^slotBits - 1)`, so there is no other context. `worker` is 0 but for
/// a MultiVertex. \returns what compute() returned; true for a compute() that returns nothing
using CodeletEntry = bool (*)(void *state, unsigned worker);

/// Every module exports this symbol, a null-terminated constant: the slot size it was compiled for
/// and the CPU level it needs, as "slotBits=21;cpu=x86-64-v3".
inline constexpr char kModuleInfoSymbol[] = "__copseModuleInfo";

/// The number, on its IPU, of the tile whose vertex the calling thread runs.
using TileIdFunction = unsigned (*)();

/// Every module exports this symbol, a TileIdFunction that ipud sets when it opens the module.
inline constexpr char kTileIdSymbol[] = "__copseTileId";

} // namespace copse::wire
