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

/// Reads a control or status register of the worker, or of the tile where the worker has none of this number. The cycle
/// counters stand still while a compute set runs. Ends the vertex with a fault if there is none that native code can read.
using ReadRegisterFunction = unsigned (*)(unsigned index);
inline constexpr char kReadRegisterSymbol[] = "__copseReadRegister";
/// Writes one; the same for those that native code can write.
using WriteRegisterFunction = void (*)(unsigned index, unsigned value);
inline constexpr char kWriteRegisterSymbol[] = "__copseWriteRegister";

/// The accumulators of a worker as native code keeps them, and one instruction's operands and result, low word first.
struct MatrixWords {
  float working[16], delayed[16]; ///< A[0], A[2], ... and A[1], A[3], ...: of the first set, then of the second
  std::uint32_t tas;
  std::uint32_t x[2], partials[2], result[2];
};
/// Executes one AMP or SLIC instruction, given as the tile's own word for it with $a0 as destination, $a2 as x and $a4 as
/// partials, with the weights of the tile. Ends the vertex with a fault for other words, and where the instruction faults.
using MatrixFunction = void (*)(unsigned word, void *words);
inline constexpr char kMatrixSymbol[] = "__copseMatrix";

/// What ld64putcs does, and with two groups ld128putcs: loads $CWEI[index], ... from $CCCSLOAD on, which moves on.
using LoadWeightsFunction = void (*)(unsigned index, unsigned groups);
inline constexpr char kLoadWeightsSymbol[] = "__copseLoadWeights";

} // namespace copse::wire
