#pragma once

#include <cstddef>
#include <cstdint>

/// The calling convention between ipud and native codelet modules. popc generates the callees, ipud
/// is the caller.
namespace copse::wire {

/// `state` is the native address of the vertex state: slot | tile address. A codelet finds its
/// tile's slot as `state & ~(2^slotBits - 1)`, so there is no other context. `worker` is 0 but for
/// a MultiVertex.
/// \returns what compute() returned; true for a compute() that returns nothing
using CodeletEntry = bool (*)(void *state, unsigned worker);

/// What tile code passes to a native function by its calling convention, and gets back: $m0 to $m3
/// and $a0 to $a5. Source: guide, 10.3. The function is a CodeletEntry with these in place of the
/// state; what it returns does not matter.
struct FunctionRegisters {
  std::uint32_t m[4], a[6];
};
/// Its name is this and the symbol that tile code knows it by.
inline constexpr char kFunctionPrefix[] = "__copseFunction_";

/// Every module exports this symbol, a null-terminated constant: the slot size it was compiled for
/// and the CPU level it needs, as "slotBits=21;cpu=x86-64-v3".
inline constexpr char kModuleInfoSymbol[] = "__copseModuleInfo";

// Every module exports these symbols, pointers to functions that ipud sets when it opens the module. A function concerns
// the tile and the worker whose vertex the calling thread runs.

/// The tile's number on its IPU.
using TileIdFunction = unsigned (*)();
inline constexpr char kTileIdSymbol[] = "__copseTileId";

/// The native address of the tile's slot, for copies of fields: these do not lie in it.
using TileSlotFunction = unsigned long (*)();
inline constexpr char kTileSlotSymbol[] = "__copseTileSlot";

/// The bits of the half that a float is rounded to. Stays null while halves are rounded to nearest and saturate, which
/// code does by itself.
using RoundToHalfFunction = unsigned short (*)(float);
inline constexpr char kRoundToHalfSymbol[] = "__copseRoundToHalf";

/// Every module exports this symbol, a word: kHalfMask, or 0 while the function above is to be called for every half.
inline constexpr char kHalfMaskSymbol[] = "__copseHalfMask";
inline constexpr std::uint32_t kHalfMask = 0x7C00; // of the exponent of a half

/// Where the state of the worker's random numbers is: two words of 64 bits, of any alignment, which code advances by itself.
using GeneratorFunction = unsigned long long *(*)();
inline constexpr char kGeneratorSymbol[] = "__copseGenerator";

/// Where a thread counts what the vertex at hand has executed [worker cycles of the model in docs/timing-model.md]: code
/// adds to a word of 64 bits that is as far behind the thread's pointer on every thread. Every module exports this symbol,
/// that distance [bytes], which must be set before any code of the module runs.
using CycleOffset = long;
inline constexpr char kCycleOffsetSymbol[] = "__copseCycleOffset";

/// Reads a control or status register of the worker, or of the tile where the worker has none of this number. The cycle
/// counters move by what the code and its inline assembly take only while a compute set runs. Ends the vertex with a fault if there is none that native code can read.
using ReadRegisterFunction = unsigned (*)(unsigned index);
inline constexpr char kReadRegisterSymbol[] = "__copseReadRegister";
/// Writes one; the same for those that native code can write.
using WriteRegisterFunction = void (*)(unsigned index, unsigned value);
inline constexpr char kWriteRegisterSymbol[] = "__copseWriteRegister";

/// The accumulators of a worker as native code keeps them, and one instruction's operands and result, low word first.
struct MatrixWords {
  float working[16],
      delayed[16]; ///< A[0], A[2], ... and A[1], A[3], ...: of the first set, then of the second
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

/// A word of tile memory, and an instruction [bytes].
inline constexpr std::uint32_t kWordBytes = 4;

/// An operand of inline assembly: a register, or an aligned group of them, and the 16 bytes that hold its value before and
/// after.
struct AssemblyOperand {
  enum class Kind : std::uint8_t {
    Words,        ///< `count` registers, low word first
    Half,         ///< 16 bits, which both halves of the register hold
    Pointer,      ///< a native address in the tile's slot
    UnsignedLong, ///< 64 bits, of which the tile has 32; or a native address in the slot
    SignedLong    ///< the same with a sign
  };
  Kind kind = Kind::Words;
  std::uint8_t isAux = 0, first = 0, count = 1; ///< the register file, and which registers
  std::uint8_t isInput = 0, isOutput = 0;
  std::uint16_t slot = 0; ///< of the values, in units of 16 bytes
};
/// A statement of inline assembly. What follows it in memory: its operands, its instructions, assembled for
/// kAssemblyAddress, where it stands in the source ("file.cpp:12", without a zero), and a line "3 name" for each
/// instruction (counted from 0) that is a setzi of the address of what tile code knows by this name.
struct AssemblyBlock {
  std::uint32_t operands = 0, words = 0, placeBytes = 0;
  std::uint32_t isSupervisor = 0; ///< 1: its instructions are the supervisor's
  std::uint32_t symbolBytes = 0;
  std::uint32_t isCounted = 0; ///< 1: the code around it counts its cycles
};
inline constexpr std::uint32_t kAssemblyAddress = 0x50000;
inline constexpr std::uint32_t kMaxAssemblyWords = 1024;

/// Executes a block with the worker's registers. \p values: shape [operands][16 bytes], aligned; \p accumulators: MatrixWords
using AssemblyFunction = void (*)(const AssemblyBlock *block, void *values, void *accumulators);
inline constexpr char kAssemblySymbol[] = "__copseAssembly";
/// Modules with inline assembly export this symbol: where the array of pointers to their blocks begins and ends.
using AssemblyRange = const AssemblyBlock *const *[2];
inline constexpr char kAssemblyRangeSymbol[] = "__copseAssemblyBlocks";
/// The thread's MatrixWords, which objects of one module share.
inline constexpr char kAccumulatorsSymbol[] = "__copseAccumulators";

/// What native code passes to a function of tile code, and gets back: what $m0 to $m3 and $a0 to $a5 hold. Pointers are
/// native addresses in the tile's slot; all else has at most 32 bits.
struct TileCall {
  std::uint64_t m[4], a[6];
};
inline constexpr std::size_t kMainArguments = sizeof(TileCall::m) / sizeof(std::uint64_t);
inline constexpr std::size_t kAuxArguments = sizeof(TileCall::a) / sizeof(std::uint64_t);
/// Calls the function of that symbol. Image::code has it in a section for native code, linked for kAssemblyAddress and without
/// data. Ends the vertex with a fault if it is not there.
using TileFunction = void (*)(const char *symbol, TileCall *call);
inline constexpr char kTileFunctionSymbol[] = "__copseTileFunction";

/// Of code that was compiled for `copse check`: called before each access that may be of tile memory. `flags` is the
/// alignment that the code relies on [bytes], with kCheckedStore for a store; `site` says where in the source the access
/// stands ("file.cpp:12"), and lives as long as the module.
using CheckAccessFunction = void (*)(const void *address, unsigned long bytes, unsigned flags,
                                     const char *site);
inline constexpr char kCheckAccessSymbol[] = "__copseCheckAccess";
inline constexpr unsigned kCheckedStore = 0x100,
                          kCheckedAlignment = 0x80; // the largest that flags can say

/// Called before a loop that makes `count` accesses of `bytes` each, the first at `first` and each `stride` bytes behind the
/// one before; 0 accesses are none. Says whether all would be good, and reports nothing: where they would not, the loop calls
/// the function above. With kCheckedRangeHappens in the flags, they are good and are about to happen.
using CheckRangeFunction = bool (*)(const void *first, long stride, unsigned long bytes,
                                    unsigned long count, unsigned flags);
inline constexpr char kCheckRangeSymbol[] = "__copseCheckRange";
inline constexpr unsigned kCheckedRangeHappens = 0x200;

} // namespace copse::wire
