#pragma once

#include "poplar/StandardHeaders.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace copse {
namespace profile {
struct ReportData; // what a profile holds
}
} // namespace copse

/// Profiles: what a graph takes in memory, and what its execution took in time. All of these are
/// handles on one immutable report, cheap to copy and good as long as they live. Byte counts are
/// bytes of tile memory; cycles are modelled cycles of the tile clock.
namespace pva {

using Data = std::shared_ptr<const copse::profile::ReportData>;

class VertexType {
public:
  VertexType(Data data, std::size_t type) : data_(std::move(data)), type_(type) {}
  const std::string &name() const;
  /// Returns the bytes of the state of one vertex: the mean over all of the type, rounded up.
  std::uint64_t size() const;

private:
  Data data_;
  std::size_t type_;
};

/// One vertex of the program.
class Vertex {
public:
  static constexpr std::size_t kNoComputeSet = ~std::size_t{0};

  /// \param computeSet  that it is listed for; kNoComputeSet: it is listed for a tile
  Vertex(Data data, std::size_t type, std::size_t computeSet)
      : data_(std::move(data)), type_(type), computeSet_(computeSet) {}
  VertexType type() const { return VertexType(data_, type_); }
  /// Index: tile. How many vertices of its type its compute set has there; of a vertex that is listed
  /// for a tile, how many all compute sets have.
  std::vector<std::uint64_t> countByTile() const;
  /// Returns the bytes of its code on a tile: none, as codelets run outside tile memory, and tile
  /// code is counted by tile only.
  std::uint64_t codeBytes() const { return 0; }

private:
  Data data_;
  std::size_t type_, computeSet_;
};

/// Where a thing comes from: its debug path. Things of one path have one context.
class DebugContext {
public:
  explicit DebugContext(std::string name) : name_(std::move(name)) {}
  std::uint64_t id() const; ///< 0 without a name
  const std::string &name() const { return name_; }
  /// An object of `id` and `name`.
  std::string json() const;

private:
  std::string name_;
};

/// Bytes of one kind in one region of memory.
class MemoryRegion {
public:
  MemoryRegion(std::uint64_t nonOverlapped, std::uint64_t overlapped)
      : nonOverlapped_(nonOverlapped), overlapped_(overlapped) {}
  std::uint64_t nonOverlapped() const { return nonOverlapped_; }
  std::uint64_t overlapped() const {
    return overlapped_;
  } ///< shared with something that is live at other times
  std::uint64_t total() const { return nonOverlapped_ + overlapped_; }

private:
  std::uint64_t nonOverlapped_, overlapped_;
};

/// Bytes of one kind on a tile.
class MemoryCategory {
public:
  MemoryCategory(MemoryRegion nonInterleaved, MemoryRegion interleaved, MemoryRegion overflowed)
      : nonInterleaved_(nonInterleaved), interleaved_(interleaved), overflowed_(overflowed) {}
  const MemoryRegion &nonInterleaved() const { return nonInterleaved_; }
  const MemoryRegion &interleaved() const { return interleaved_; }
  const MemoryRegion &overflowed() const { return overflowed_; } ///< beyond the end of memory
  std::uint64_t total() const {
    return nonInterleaved_.total() + interleaved_.total() + overflowed_.total();
  }

private:
  MemoryRegion nonInterleaved_, interleaved_, overflowed_;
};

/// What a tile's memory is used for.
class MemoryByCategory {
public:
  MemoryByCategory(Data data, std::size_t tile) : data_(std::move(data)), tile_(tile) {}
  MemoryCategory variable() const;
  MemoryCategory constant() const;
  MemoryCategory vertexCode() const;
  MemoryCategory vertexInstanceState() const;
  MemoryCategory vertexFieldData() const;
  MemoryCategory vectorListDescriptor() const;
  MemoryCategory copyDescriptor() const;
  MemoryCategory controlCode() const;
  MemoryCategory internalExchangeCode() const;
  MemoryCategory hostExchangeCode() const;
  MemoryCategory stack() const;
  /// Buffers of compute sets for data of other tiles.
  MemoryCategory message() const;
  /// Buffers of compute sets for the tile's own data, in another order.
  MemoryCategory rearrangement() const;

private:
  Data data_;
  std::size_t tile_;
};

/// A variable, or something else that takes memory of tiles: the buffers of a compute set, all vertex states, ...
class Var {
public:
  Var(Data data, std::size_t item) : data_(std::move(data)), item_(item) {}
  std::string name() const; ///< debug path
  DebugContext debugContext() const { return DebugContext(name()); }
  std::size_t _id() const { return item_; }
  std::uint64_t bytes() const; ///< on all tiles of a replica
  bool alwaysLive() const;
  std::string type() const; ///< of its elements; empty if it is no variable
  std::vector<std::size_t> shape() const;

private:
  Data data_;
  std::size_t item_;
};

class MemoryTotal {
public:
  MemoryTotal(std::uint64_t excludingGaps, std::uint64_t includingGaps)
      : excludingGaps_(excludingGaps), includingGaps_(includingGaps) {}
  std::uint64_t excludingGaps() const { return excludingGaps_; }
  std::uint64_t includingGaps() const { return includingGaps_; }

private:
  std::uint64_t excludingGaps_, includingGaps_;
};

class TileMemory {
public:
  TileMemory(Data data, std::size_t tile) : data_(std::move(data)), tile_(tile) {}
  MemoryTotal total() const;
  MemoryByCategory category() const { return MemoryByCategory(data_, tile_); }
  std::vector<Vertex> vertices() const;

private:
  Data data_;
  std::size_t tile_;
};

class Tile {
public:
  Tile(Data data, std::size_t tile) : data_(std::move(data)), tile_(tile) {}
  TileMemory memory() const { return TileMemory(data_, tile_); }

private:
  Data data_;
  std::size_t tile_;
};

class ComputeSet {
public:
  ComputeSet(Data data, std::size_t index) : data_(std::move(data)), index_(index) {}
  std::string name() const;
  std::vector<Vertex> vertices() const;

private:
  Data data_;
  std::size_t index_;
};

class Program;
class DoExchangeProgram;
class OnTileExecuteProgram;
class StreamCopyProgram;

/// Override the functions of interest; the others do nothing.
class ProgramVisitor {
public:
  virtual ~ProgramVisitor() = default;
  virtual void visitDoExchange(const DoExchangeProgram &) {}
  virtual void visitOnTileExecute(const OnTileExecuteProgram &) {}
  virtual void visitStreamCopy(const StreamCopyProgram &) {}
  virtual void visitOther(const Program &) {}
};

/// One step of the compiled program.
class Program {
public:
  enum class Type {
    Sequence,
    DoExchange,
    GlobalExchange,
    OnTileExecute,
    StreamCopyBegin,
    StreamCopyMid,
    StreamCopyEnd,
    Sync,
    Repeat,
    If,
    Switch,
    Call,
    Unknown
  };

  Program(Data data, std::size_t index) : data_(std::move(data)), index_(index) {}
  virtual ~Program() = default;
  Type type() const;
  std::string name() const;
  DebugContext debugContext() const { return DebugContext(name()); }
  /// Index: tile. Of the supervisor's code for the step itself, as MemoryByCategory::controlCode() counts
  /// it.
  std::vector<std::uint64_t> controlCodeByTile() const;
  /// Index: tile. Of the code of exchanges: none, as they run outside tile memory.
  std::vector<std::uint64_t> codeBytesByTile() const;
  /// Steps of its bodies, or of a block. A body of several steps, and one of several bodies, are Sequences in Poplar; here they are one list.
  std::vector<std::shared_ptr<Program>> children() const;
  std::size_t _id() const { return index_; }
  virtual void accept(ProgramVisitor &visitor) const { visitor.visitOther(*this); }

protected:
  std::vector<Var> variables() const;
  const Data &data() const { return data_; }
  std::size_t index() const { return index_; }

private:
  Data data_;
  std::size_t index_;
};

class DoExchangeProgram : public Program {
public:
  using Program::Program;
  /// Variables and buffers that it copies from or to.
  std::vector<Var> vars() const { return variables(); }
  void accept(ProgramVisitor &visitor) const override { visitor.visitDoExchange(*this); }
};
class OnTileExecuteProgram : public Program {
public:
  using Program::Program;
  /// Variables that the compute set's vertices are connected to, and its buffers.
  std::vector<Var> vars() const { return variables(); }
  std::vector<Vertex> vertices() const { return computeset().vertices(); }
  ComputeSet computeset() const;
  void accept(ProgramVisitor &visitor) const override { visitor.visitOnTileExecute(*this); }
};
class StreamCopyProgram : public Program {
public:
  using Program::Program;
  std::vector<Var> vars() const { return variables(); }
  void accept(ProgramVisitor &visitor) const override { visitor.visitStreamCopy(*this); }
};

struct IPU {
  enum class Architecture { Ipu1, Ipu2, Ipu21, Unknown };
};

/// What the program itself brought: nothing that the compiler added is counted.
class GraphInfo {
public:
  explicit GraphInfo(Data data) : data_(std::move(data)) {}
  std::size_t numVertices() const;
  std::size_t numComputeSets() const; ///< reachable from a program
  std::size_t numVars() const;
  std::size_t numEdges() const;

private:
  Data data_;
};

class TargetInfo {
public:
  explicit TargetInfo(Data data) : data_(std::move(data)) {}
  std::size_t numTiles() const; ///< of one replica
  std::size_t numIPUs() const;  ///< of all replicas
  std::size_t numReplicas() const;
  std::size_t ipusPerReplica() const;
  std::size_t tilesPerIpu() const;
  std::uint64_t bytesPerTile() const;
  std::uint64_t bytesPerIPU() const;
  std::uint64_t totalMemory() const; ///< of all tiles of all replicas
  IPU::Architecture architecture() const;
  double clockFrequency() const; ///< [Hz]

private:
  Data data_;
};

/// Memory of all tiles of a replica that is needed at one step.
class LiveMemory {
public:
  LiveMemory(std::uint64_t bytes, std::vector<Var> variables)
      : bytes_(bytes), variables_(std::move(variables)) {}
  std::uint64_t bytes() const { return bytes_; }
  const std::vector<Var> &variables() const { return variables_; }

private:
  std::uint64_t bytes_;
  std::vector<Var> variables_;
};

/// One step of the compiled program, and the variables that are live at it.
class LivenessProgramStep {
public:
  LivenessProgramStep(Data data, std::size_t program) : data_(std::move(data)), program_(program) {}
  std::shared_ptr<Program> program() const;
  LiveMemory notAlwaysLiveMemory() const;

private:
  Data data_;
  std::size_t program_;
};

/// Steps [start, end) of Compilation::livenessProgramSteps().
struct StepInterval {
  std::size_t start, end;
};

/// Memory that is live at the same steps.
class EquivalenceClass {
public:
  EquivalenceClass(Data data, std::uint32_t range) : data_(std::move(data)), range_(range) {}
  std::uint32_t id() const { return range_; }
  std::vector<StepInterval> steps() const;

private:
  Data data_;
  std::uint32_t range_;
};

/// One range of addresses of a tile that a Var has.
class BriefVar {
public:
  BriefVar(Data data, std::size_t tile, std::size_t block)
      : data_(std::move(data)), tile_(tile), block_(block) {}
  std::size_t id() const { return block_; }
  std::uint64_t bytes() const;
  std::size_t tileId() const { return tile_; }
  EquivalenceClass equivalenceClass() const;

private:
  Data data_;
  std::size_t tile_, block_;
};

class LoweredVariables {
public:
  explicit LoweredVariables(Data data) : data_(std::move(data)) {}
  std::vector<BriefVar> allBriefVars() const; ///< of all tiles

private:
  Data data_;
};

class Compilation {
public:
  explicit Compilation(Data data) : data_(std::move(data)) {}
  GraphInfo graph() const { return GraphInfo(data_); }
  TargetInfo target() const { return TargetInfo(data_); }
  std::vector<Tile> tiles() const;
  std::vector<ComputeSet> computeSets() const;
  std::vector<std::shared_ptr<Program>> programs() const;
  /// Steps of programs that work on data, in the order in which they stand in the programs.
  std::vector<LivenessProgramStep> livenessProgramSteps() const;
  LiveMemory alwaysLiveMemory() const;
  LoweredVariables loweredVariables() const { return LoweredVariables(data_); }

private:
  Data data_;
};

/// One execution of a compute set.
class ComputeSetRun {
public:
  ComputeSetRun(Data data, std::uint32_t cost) : data_(std::move(data)), cost_(cost) {}
  std::string name() const;
  /// Index: tile. Empty if it was not measured, or not estimated.
  std::vector<std::uint64_t> cyclesByTile() const;
  std::vector<std::uint64_t> estimatedCyclesByTile() const;

private:
  Data data_;
  std::uint32_t cost_;
};

/// The part of one IPU of a replica in a step.
class IPUStep {
public:
  IPUStep(std::uint64_t from, std::uint64_t to) : from_(from), to_(to) {}
  std::uint64_t cycles() const { return to_ - from_; }
  std::uint64_t cyclesFrom() const { return from_; }
  std::uint64_t cyclesTo() const { return to_; }

private:
  std::uint64_t from_, to_;
};

/// One step of an execution.
class ExecutionStep {
public:
  ExecutionStep(Data data, std::size_t run, std::size_t step)
      : data_(std::move(data)), run_(run), step_(step) {}
  std::vector<ComputeSetRun> computeSets() const;
  std::shared_ptr<Program> program() const;
  /// Cycles of each tile, 0 of one without a part.
  std::vector<std::uint64_t> cyclesByTile() const;
  std::vector<IPUStep> ipus() const;
  std::uint64_t cycles() const;     ///< of the IPU that took longest
  std::uint64_t cyclesFrom() const; ///< of the IPU that was first to begin
  std::uint64_t cyclesTo() const;   ///< of the IPU that was last to end

private:
  Data data_;
  std::size_t run_, step_;
};

/// One Engine::run.
class Run {
public:
  Run(Data data, std::size_t index) : data_(std::move(data)), index_(index) {}
  std::string name() const; ///< as the caller of Engine::run gave it
  std::vector<ExecutionStep> steps() const;
  std::uint64_t cycles() const;
  double microseconds() const; ///< on the modelled clock

private:
  Data data_;
  std::size_t index_;
};

/// The work of one tile for a while: a step, or on the first tile of each IPU a program::Block.
class Block {
public:
  Block(Data data, unsigned tile, std::uint32_t program, std::uint64_t from, std::uint64_t to)
      : data_(std::move(data)), tile_(tile), program_(program), from_(from), to_(to) {}
  std::uint64_t cyclesFrom() const { return from_; }
  std::uint64_t cyclesTo() const { return to_; }
  unsigned tile() const { return tile_; }
  // What kind of block it is: one of these.
  bool isStreamCopy() const;
  bool isCommon() const { return !isStreamCopy(); }
  // Tiles record blocks into a buffer, which may run over and is flushed at times. Here nothing is
  // recorded on tiles, so these are never seen.
  bool isOverflow() const { return false; }
  bool isBlockFlush() const { return false; }
  std::shared_ptr<Program> program() const;

private:
  Data data_;
  unsigned tile_;
  std::uint32_t program_;
  std::uint64_t from_, to_;
};

class Execution {
public:
  explicit Execution(Data data) : data_(std::move(data)) {}
  std::vector<Run> runs() const;
  std::vector<ExecutionStep> steps() const; ///< of all runs
  /// In order of time.
  std::vector<Block> blocks(unsigned tile) const;

private:
  Data data_;
};

class Version {
public:
  explicit Version(std::string text) : text_(std::move(text)) {}
  const std::string &string() const { return text_; }

private:
  std::string text_;
};

class Report {
public:
  explicit Report(Data data) : data_(std::move(data)) {}
  Compilation compilation() const { return Compilation(data_); }
  /// \throws poplar::missing_profile_data if none was recorded
  Execution execution() const;
  Version poplarVersion() const;

private:
  friend class OperationAnalysis;
  Data data_;
};

/// The steps of a program that come from one debug context.
class Operation {
public:
  Operation(Data data, std::string name, std::vector<std::size_t> programs)
      : data_(std::move(data)), name_(std::move(name)), programs_(std::move(programs)) {}
  const std::string &name() const { return name_; }
  DebugContext debugContext() const { return DebugContext(name_); }
  std::vector<std::shared_ptr<Program>> programs() const;
  std::vector<Var> vars() const; ///< that its programs read or write, each once
  // Of Compilation::livenessProgramSteps(): its first and its last step; 0 if it has none there.
  std::size_t firstStepIndex() const;
  std::size_t lastStepIndex() const;

private:
  std::vector<std::size_t> stepIndices() const;

  Data data_;
  std::string name_;
  std::vector<std::size_t> programs_;
};

/// All operations of a report, in the order of their first steps.
class OperationAnalysis {
public:
  explicit OperationAnalysis(const Report &report);
  const std::vector<Operation> &operations() const { return operations_; }

private:
  std::vector<Operation> operations_;
};

/// Reads a profile.
/// \param path  the file, or the directory that holds profile.pop
/// \throws poplar::file_load_error if there is none, or if it is something else
Report openReport(const std::string &path);

} // namespace pva
