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

// Every module exports these symbols, pointers to functions that ipud sets when it opens the module. A function concerns
// the tile and the worker whose vertex the calling thread runs.

/// The tile's number on its IPU.
using TileIdFunction = unsigned (*)();
inline constexpr char kTileIdSymbol[] = "__copseTileId";

/// The bits of the half that a float is rounded to. Stays null while halves are rounded to nearest and saturate, which
/// code does by itself.
using RoundToHalfFunction = unsigned short (*)(float);
inline constexpr char kRoundToHalfSymbol[] = "__copseRoundToHalf";

/// Every module exports this symbol, a word: kHalfMask, or 0 while the function above is to be called for every half.
inline constexpr char kHalfMaskSymbol[] = "__copseHalfMask";
inline constexpr std::uint32_t kHalfMask = 0x7C00; // of the exponent of a half

/// Advances the worker's random numbers, and puts what they give into two words of 64 bits.
using RandomFunction = void (*)(unsigned long long *bits);
inline constexpr char kRandomSymbol[] = "__copseRandom";

} // namespace copse::wire
