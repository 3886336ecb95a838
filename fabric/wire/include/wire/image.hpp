#pragma once

#include "wire/architecture.hpp"
#include "wire/check_tables.hpp"
#include "wire/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The program that is loaded into one IPU. The compiler of host-runtime writes images and ipud
/// runs them; they share nothing else. All IPUs of a replica follow one tree of steps, each with
/// its own image. All replicas load the same images and differ only in the replica index.
namespace copse::wire {

/// An address in one tile's memory. `address` is architectural (21 bits on an IPU), not an offset.
struct TileAddress {
  std::uint32_t tile = 0;
  std::uint32_t address = 0;
  friend auto operator<=>(const TileAddress &, const TileAddress &) = default;
};

/// `count` blocks of `bytes` each on one tile, with starts `stride` bytes apart. A negative stride
/// is a reversed view. In a packed buffer the blocks follow each other without gaps.
struct Region {
  std::uint32_t tile = 0;
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t count = 1;
  std::int32_t stride = 0;
  std::uint64_t size() const { return std::uint64_t{bytes} * count; }
  friend bool operator==(const Region &, const Region &) = default;
};

/// An on-chip copy of `count` blocks of `bytes` each, from one tile to another or to itself.
struct Move {
  TileAddress from, to;
  std::uint32_t bytes = 0;
  std::uint32_t count = 1;
  std::int32_t fromStride = 0, toStride = 0;
  friend bool operator==(const Move &, const Move &) = default;
};

/// The packed data that one IPU sends to, or expects from, one other IPU in one exchange.
struct Message {
  std::uint32_t peer = 0; ///< number of the other IPU within its replica
  std::vector<Region> regions;
  std::uint64_t bytes = 0; ///< sum of the regions
  friend bool operator==(const Message &, const Message &) = default;
};

/// The bytes that one IPU of a replica sends to another in one exchange; the IPUs are numbered
/// within their replicas. Every IPU knows all flows of its step, so that it can compute the exact
/// modelled time of a shared link.
struct Flow {
  std::uint32_t from = 0, to = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Flow &, const Flow &) = default;
};

/// One exchange step. Sources are read before any destination is written.
struct Exchange {
  std::string name;
  std::vector<Move> moves;
  /// True if a move's destination is another's source, so that data must be staged in a buffer.
  bool overlapping = false;
  std::vector<Message> sends, receives;
  std::vector<Flow> flows; ///< the external traffic of the whole replica
  /// Empty for an exchange within the replica. Otherwise this is a cross-replica copy in which
  /// replicaMap[r] receives what replica r sends.
  std::vector<std::uint32_t> replicaMap;
  /// True if a tile may run its vertices as soon as the moves to this tile are done. The moves are
  /// then sorted by destination tile, the compute set of the next step writes nothing that they
  /// read, and there are no messages.
  bool byTile = false;
  friend bool operator==(const Exchange &, const Exchange &) = default;
};

/// The range [offset, offset + bytes) of a host row.
struct HostPiece {
  std::uint64_t offset = 0, bytes = 0;
  friend bool operator==(const HostPiece &, const HostPiece &) = default;
};

/// One IPU's part of a host-side row (a stream's row, a tensor that the host reads or writes, a
/// printed tensor). The packed `regions` equal the concatenated `pieces` of the row.
struct HostView {
  std::vector<Region> regions;
  std::vector<HostPiece> pieces;
  std::uint64_t bytes = 0;    ///< bytes of this IPU's part
  std::uint64_t rowBytes = 0; ///< bytes of the whole row of one replica
  friend bool operator==(const HostView &, const HostView &) = default;
};

/// Returns true if the IPU \p number of a replica takes part in transferring a row. For a row
/// without bytes, IPU 0 does. Host and ipud must agree on this.
inline bool takesPart(const HostView &view, std::uint32_t number) {
  return view.bytes > 0 || (view.rowBytes == 0 && number == 0);
}

enum class Direction : std::uint8_t { ToDevice = 0, ToHost = 1 };

struct StreamTransfer {
  std::uint32_t stream = 0; ///< index into the executable's streams
  Direction direction = Direction::ToDevice;
  HostView view;
  friend bool operator==(const StreamTransfer &, const StreamTransfer &) = default;
};

/// Adjacent stream copies, merged into one host exchange in program order (guide, 2.6.1).
struct HostExchange {
  std::string name;
  std::vector<StreamTransfer> transfers;
  std::uint64_t replicaBytesToDevice = 0, replicaBytesToHost = 0; ///< over all IPUs of one replica
  friend bool operator==(const HostExchange &, const HostExchange &) = default;
};

/// A copy of `rows` rows between a remote buffer and tile memory. `view` covers all rows, one after
/// another.
struct RemoteCopy {
  std::string name;
  std::uint32_t buffer = 0; ///< index into the executable's remote buffers
  Direction direction = Direction::ToDevice;
  std::uint32_t rows = 1;
  std::uint64_t rowBytes = 0;
  bool hasOffsets = false;
  /// If hasOffsets: `rows` words with the numbers of the rows; otherwise row 0 is copied.
  Region offsets;
  HostView view;
  std::uint64_t replicaBytes = 0; ///< over all IPUs of the replica
  friend bool operator==(const RemoteCopy &, const RemoteCopy &) = default;
};

/// Returns the prefix of messages about \p copy.
inline std::string headingOf(const RemoteCopy &copy, std::uint32_t replica,
                             std::uint32_t replicas) {
  return "remote copy '" + copy.name + "', replica " + std::to_string(replica) + " of " +
         std::to_string(replicas) + ": ";
}

struct Print {
  std::uint32_t tensor = 0; ///< index into the executable's printed tensors
  HostView view;
  friend bool operator==(const Print &, const Print &) = default;
};

/// A native module compiled from codelets (an ELF shared object), identified by its content.
struct ModuleRef {
  std::string sha256; ///< hash of the module's bytes, in hexadecimal
  std::string name;   ///< for messages
  friend bool operator==(const ModuleRef &, const ModuleRef &) = default;
};

/// The kinds of code of a vertex.
enum class CodeKind : std::uint8_t {
  Native = 0, ///< `bool symbol(void *vertexState, unsigned worker)` of a module, see
              ///< wire/codelet_abi.hpp
  Worker = 1, ///< tile instructions from `entry` on, run by one worker, or by all for a MultiVertex
  Supervisor = 2, ///< tile instructions from `entry` on, called by the supervisor with the state's
                  ///< address in $m0
  NativeFunction = 3,   ///< `bool symbol(FunctionRegisters *, unsigned)` of a module, see
                        ///< wire/codelet_abi.hpp: called by tile code, so no vertex has it
  NativeSupervisor = 4, ///< as Native, on the supervisor: may start workers
};

inline bool isTileCode(CodeKind kind) {
  return kind == CodeKind::Worker || kind == CodeKind::Supervisor;
}

/// The range of addresses by which tile code refers to native functions, one word each. No tile has
/// memory there: a worker that jumps to such an address runs the native function instead.
inline constexpr std::uint32_t kNativeEntries = 0x1000, kNativeEntriesEnd = 0x40000;

/// The code of one kind of vertex: a symbol of a native module, or an address of tile code.
struct CodeletFunction {
  std::uint32_t module = 0; ///< index into Image::modules; unused unless native
  std::string symbol;
  std::string vertexType;   ///< the name that the user gave
  bool multiVertex = false; ///< called once per worker, with its number
  CodeKind kind = CodeKind::Native;
  /// The tile address of the first instruction, within a CodeSection. For native code: one of
  /// kNativeEntries if tile code starts or calls it, else 0.
  std::uint32_t entry = 0;
  friend bool operator==(const CodeletFunction &, const CodeletFunction &) = default;
};

/// One vertex of a compute set. Its state is the vertex's fields as the codelet reads them.
struct VertexRecord {
  std::uint32_t address = 0;  ///< address of the vertex state, on its tile
  std::uint32_t function = 0; ///< index into Image::functions
  /// Modelled cycles of one call on one worker, as if the worker ran alone on its 1/6 of the tile's
  /// issue slots.
  std::uint32_t cycles = 0;
  friend bool operator==(const VertexRecord &, const VertexRecord &) = default;
};

/// Says that vertices [first, first + count) of a compute set are on `tile`.
struct TileVertices {
  std::uint32_t tile = 0, first = 0, count = 0;
  friend bool operator==(const TileVertices &, const TileVertices &) = default;
};

/// A compute set's vertices on this IPU. Vertices of one tile are adjacent.
struct ComputeSet {
  std::string name;
  std::vector<TileVertices> tiles; ///< ascending, each tile once
  std::vector<VertexRecord> vertices;
  /// If hasResult: the address of a bool word that gets the AND of the return values of this IPU's
  /// vertices.
  bool hasResult = false;
  TileAddress result;
  friend bool operator==(const ComputeSet &, const ComputeSet &) = default;
};

/// The operation of a step. The numbers are part of the wire format: add at the end, never reuse.
enum class Op : std::uint8_t {
  ComputeSet = 0, ///< run computeSets[index]
  /// exchanges[index] and the `count` exchanges after it (exchangesOf); a Sync precedes external
  /// ones.
  Exchange = 1,
  Sync = 2,         ///< sync point of group `index` (a wire::SyncGroup)
  HostExchange = 3, ///< hostExchanges[index]
  RemoteCopy = 4,   ///< remoteCopies[index]
  Repeat = 5,       ///< the next `body` steps, run `count` times
  While = 6, ///< the next `other` steps (condition), then, as long as the predicate equals `count`
             ///< (1 or 0), `body` steps
  If = 7,    ///< the next `body` steps if the predicate is not 0, else the `other` steps after them
  Switch = 8, ///< `count` Case steps follow, then the default: `other` steps; `body` is the length
              ///< of all
  Case = 9,   ///< one case: value `index`, `body` steps
  Call = 10,  ///< functions[index]
  Print = 11, ///< prints[index]
  Abort = 12, ///< stop with message `messages[index]`, if `count` is 0 or the predicate is not 0
  /// Stores the modelled clock (8 bytes, low word first) at `predicate`; if `count` is 1, the clock
  /// minus the 8 bytes that are there. Only IPU `index` of the replica does this.
  ReadClock = 13,
  /// Sets the byte at `predicate` to 1 if all of the `count` bytes from there on are nonzero, else
  /// to 0. Only IPU `index` of the replica does this.
  AllTrue = 14,
};

/// One entry of a control program. Control flow is structured: the bodies of a step follow it, and
/// the lengths of the bodies are all that control flow needs. A predicate is a word in this IPU's
/// memory; the compiler has inserted an exchange that brings it there.
struct Step {
  Op op = Op::ComputeSet;
  std::uint8_t predicateBytes = 4; ///< size of the predicate: 1, 2, 4 or 8
  std::uint32_t index = 0; ///< set in a While, If or Switch: 0, or 1 + its name's index in messages
  std::uint32_t count = 0;
  std::uint32_t body = 0, other = 0; ///< [steps]
  TileAddress predicate{};
  friend bool operator==(const Step &, const Step &) = default;
};

/// Steps [first, first + count) of Image::steps.
struct StepRange {
  std::uint32_t first = 0, count = 0;
  friend bool operator==(const StepRange &, const StepRange &) = default;
};

/// Bytes that a load writes into tile memory: `count` copies of Image::data[offset, offset +
/// bytes), `stride` bytes apart. Memory without an entry is zero after a load.
struct InitialData {
  Region to;
  std::uint64_t offset = 0; ///< into Image::data
  friend bool operator==(const InitialData &, const InitialData &) = default;
};

/// The symbol of the instructions [address, address + bytes).
struct CodeSymbol {
  std::string name;
  std::uint32_t address = 0, bytes = 0;
  friend bool operator==(const CodeSymbol &, const CodeSymbol &) = default;
};

/// Says that the instructions from `address` to the next CodeLine come from this source line.
struct CodeLine {
  std::uint32_t address = 0;
  std::uint32_t file = 0; ///< index into Image::sourceFiles
  std::uint32_t line = 0; ///< from 1
  friend bool operator==(const CodeLine &, const CodeLine &) = default;
};

/// Linked code (instructions and constants). A load writes Image::data[offset, offset + bytes) to
/// `address` of each of `tiles`. Instructions lie in executable memory. Sections may overlap if no
/// tile has both of them, and a section may be on no tile of this IPU.
struct CodeSection {
  std::uint32_t address = 0, bytes = 0;
  std::uint64_t offset = 0;         ///< into Image::data
  std::vector<std::uint32_t> tiles; ///< ascending
  /// Ascending by address; used for messages and traces, and by inline assembly that loads their
  /// addresses.
  std::vector<CodeSymbol> symbols;
  std::vector<CodeLine> lines; ///< ascending by address; for messages and traces only
  /// Native code calls its functions (codelet_abi.hpp); then on no tile.
  bool isForNativeCode = false;
  friend bool operator==(const CodeSection &, const CodeSection &) = default;
};

/// The memory layout of every tile of this IPU.
struct TileGeometry {
  std::uint32_t tiles = 0;
  std::uint32_t workers = 6;
  /// A tile's slot of the address space is 2^slotBits bytes, aligned to that.
  std::uint32_t slotBits = 21;
  std::uint32_t memoryBase = 0;  ///< first populated address
  std::uint64_t memoryBytes = 0; ///< populated bytes
  friend bool operator==(const TileGeometry &, const TileGeometry &) = default;
};

/// The registers of a tile as programs see them. They are stored as words in tile memory, so that
/// programs can copy them like other data. Each list has the tile addresses on all tiles, shape
/// [TileGeometry::tiles], or is empty if no program uses these registers.
struct TileRegisters {
  /// Five words, each nonzero if on: INV, DIV0 and OFLO (these floating-point exceptions stop the
  /// program), ESR (halves are rounded stochastically), NANOO (a half that overflows becomes NaN).
  std::vector<std::uint32_t> floatingPoint;
  std::vector<std::uint32_t>
      seeds;                ///< 4 words for each worker: its random numbers' state, low word first
  std::uint32_t atLoad = 0; ///< bit i: value of floatingPoint[i] after a load
  bool raise = false;       ///< true if INV, DIV0 and OFLO have an effect
  friend bool operator==(const TileRegisters &, const TileRegisters &) = default;
};

/// Everything that one IPU needs to run a program. The compiler makes an image for each IPU of a
/// replica; all replicas load the same images. Members refer to each other by index. An ipud
/// accepts an image only after validate(), because it may come from a damaged file or a hostile
/// peer.
struct Image {
  std::uint32_t ipu = 0; ///< number within the replica
  std::uint32_t ipusPerReplica = 1;
  TileGeometry geometry;
  std::vector<ModuleRef> modules;
  std::vector<CodeletFunction> functions;
  std::vector<ComputeSet> computeSets;
  std::vector<Exchange> exchanges;
  std::vector<HostExchange> hostExchanges;
  std::vector<RemoteCopy> remoteCopies;
  std::vector<Print> prints;
  /// The tensors that the host reads and writes between runs.
  std::vector<HostView> hostViews;
  std::vector<std::string> messages;
  std::vector<Step> steps;
  std::vector<StepRange> programs; ///< run by Engine::run(i)
  std::vector<StepRange> calls;    ///< run by Op::Call
  std::vector<InitialData> initial;
  std::vector<std::byte> data;
  std::vector<TileAddress> replicaIndices;       ///< words that a load sets to the replica's number
  Architecture architecture = Architecture::Cpu; ///< the tiles' architecture
  std::vector<CodeSection> code;
  std::vector<std::string> sourceFiles; ///< referred to by CodeLines
  /// The stacks of tile code, equal on every tile; empty if there is no code. Shape [workers + 1]:
  /// for each worker its $mworker_base (the stack grows down from there, scratch memory up), then
  /// the initial $sp of supervisor functions.
  std::vector<std::uint32_t> stacks;
  TileRegisters registers;
  CheckTables checks;
  friend bool operator==(const Image &, const Image &) = default;
};

} // namespace copse::wire
