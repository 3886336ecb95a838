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

/// Profiles: the memory that a graph takes, and the time that its execution took. All classes are
/// handles on one immutable report. Handles are cheap to copy, and keep the report alive. Byte
/// counts are bytes of tile memory; cycles are modelled cycles of the tile clock. See User guide,
/// 8.
///
/// \code
/// const pva::Report report = pva::openReport("profile.pop");  // or Engine::getReport()
/// const double time = report.execution().runs().front().microseconds();
/// \endcode
namespace pva {

/// The report that a handle refers to.
using Data = std::shared_ptr<const copse::profile::ReportData>;

/// Describes a type of vertices.
class VertexType {
public:
  /// Makes a handle; for libpoplar's use.
  VertexType(Data data, std::size_t type) : data_(std::move(data)), type_(type) {}
  /// Returns the codelet's name with its template arguments.
  const std::string &name() const;
  /// Returns the bytes of the state of one vertex: the mean over all of the type, rounded up.
  std::uint64_t size() const;

private:
  Data data_;
  std::size_t type_;
};

/// Describes one vertex of the program.
class Vertex {
public:
  /// The value of a compute set for a vertex that is listed for a tile.
  static constexpr std::size_t kNoComputeSet = ~std::size_t{0};

  /// Makes a handle; for libpoplar's use.
  /// \param computeSet  the compute set that it is listed for; kNoComputeSet: it is listed for a
  ///   tile
  Vertex(Data data, std::size_t type, std::size_t computeSet)
      : data_(std::move(data)), type_(type), computeSet_(computeSet) {}
  /// Returns the vertex's type.
  VertexType type() const { return VertexType(data_, type_); }
  /// Returns for each tile how many vertices of its type its compute set has there; of a vertex
  /// that is listed for a tile, how many all compute sets have.
  std::vector<std::uint64_t> countByTile() const;
  /// Returns the bytes of its code on a tile: always 0, because native code is not in tile memory,
  /// and tile code is counted by tile only.
  std::uint64_t codeBytes() const { return 0; }

private:
  Data data_;
  std::size_t type_, computeSet_;
};

/// Says where a part of the program comes from: its debug path. Parts with the same path have the
/// same context.
class DebugContext {
public:
  /// Makes the context of a path.
  explicit DebugContext(std::string name) : name_(std::move(name)) {}
  /// Returns a number of the path; 0 without a name.
  std::uint64_t id() const;
  /// Returns the debug path.
  const std::string &name() const { return name_; }
  /// Returns an object of `id` and `name` as JSON.
  std::string json() const;

private:
  std::string name_;
};

/// Counts the bytes of one kind in one region of memory.
class MemoryRegion {
public:
  /// Makes the sum of both parts.
  MemoryRegion(std::uint64_t nonOverlapped, std::uint64_t overlapped)
      : nonOverlapped_(nonOverlapped), overlapped_(overlapped) {}
  /// Returns the bytes that nothing else shares.
  std::uint64_t nonOverlapped() const { return nonOverlapped_; }
  /// Returns the bytes shared with something that is live at other times.
  std::uint64_t overlapped() const { return overlapped_; }
  /// Returns the sum of both.
  std::uint64_t total() const { return nonOverlapped_ + overlapped_; }

private:
  std::uint64_t nonOverlapped_, overlapped_;
};

/// Counts the bytes of one kind on a tile, by regions of memory.
class MemoryCategory {
public:
  /// Makes the sum of all regions.
  MemoryCategory(MemoryRegion nonInterleaved, MemoryRegion interleaved, MemoryRegion overflowed)
      : nonInterleaved_(nonInterleaved), interleaved_(interleaved), overflowed_(overflowed) {}
  /// Returns the bytes in elements that are not interleaved.
  const MemoryRegion &nonInterleaved() const { return nonInterleaved_; }
  /// Returns the bytes in interleaved elements.
  const MemoryRegion &interleaved() const { return interleaved_; }
  /// Returns the bytes beyond the end of memory.
  const MemoryRegion &overflowed() const { return overflowed_; }
  /// Returns the sum of all regions.
  std::uint64_t total() const {
    return nonInterleaved_.total() + interleaved_.total() + overflowed_.total();
  }

private:
  MemoryRegion nonInterleaved_, interleaved_, overflowed_;
};

/// Counts the bytes of a tile by their use.
class MemoryByCategory {
public:
  /// Makes a handle; for libpoplar's use.
  MemoryByCategory(Data data, std::size_t tile) : data_(std::move(data)), tile_(tile) {}
  /// Returns the bytes of variables.
  MemoryCategory variable() const;
  /// Returns the bytes of constants.
  MemoryCategory constant() const;
  /// Returns the bytes of codelets' code.
  MemoryCategory vertexCode() const;
  /// Returns the bytes of vertices' states.
  MemoryCategory vertexInstanceState() const;
  /// Returns the bytes of the vectors in vertices' states.
  MemoryCategory vertexFieldData() const;
  /// Returns the bytes of the tables of VectorList fields.
  MemoryCategory vectorListDescriptor() const;
  /// Returns the bytes of the tables of copies.
  MemoryCategory copyDescriptor() const;
  /// Returns the bytes of the code that runs programs.
  MemoryCategory controlCode() const;
  /// Returns the bytes of the code of exchanges between tiles.
  MemoryCategory internalExchangeCode() const;
  /// Returns the bytes of the code of exchanges with the host.
  MemoryCategory hostExchangeCode() const;
  /// Returns the bytes of stacks.
  MemoryCategory stack() const;
  /// Returns the bytes of buffers of compute sets for data of other tiles.
  MemoryCategory message() const;
  /// Returns the bytes of buffers of compute sets for the tile's own data, in another order.
  MemoryCategory rearrangement() const;

private:
  Data data_;
  std::size_t tile_;
};

/// Describes a variable, or something else that takes memory of tiles: the buffers of a compute
/// set, all vertex states, ...
class Var {
public:
  /// Makes a handle; for libpoplar's use.
  Var(Data data, std::size_t item) : data_(std::move(data)), item_(item) {}
  /// Returns the debug path.
  std::string name() const;
  /// Returns the debug context.
  DebugContext debugContext() const { return DebugContext(name()); }
  /// Returns the number in the report.
  std::size_t _id() const { return item_; }
  /// Returns the bytes on all tiles of a replica.
  std::uint64_t bytes() const;
  /// Returns true if the memory is needed at all times.
  bool alwaysLive() const;
  /// Returns the type of the elements; empty if it is no variable.
  std::string type() const;
  /// Returns the shape; empty if it is no variable.
  std::vector<std::size_t> shape() const;

private:
  Data data_;
  std::size_t item_;
};

/// Counts the bytes of a tile.
class MemoryTotal {
public:
  /// Makes both counts.
  MemoryTotal(std::uint64_t excludingGaps, std::uint64_t includingGaps)
      : excludingGaps_(excludingGaps), includingGaps_(includingGaps) {}
  /// Returns the bytes that are used.
  std::uint64_t excludingGaps() const { return excludingGaps_; }
  /// Returns the bytes up to the last one that is used.
  std::uint64_t includingGaps() const { return includingGaps_; }

private:
  std::uint64_t excludingGaps_, includingGaps_;
};

/// Describes the memory of a tile.
class TileMemory {
public:
  /// Makes a handle; for libpoplar's use.
  TileMemory(Data data, std::size_t tile) : data_(std::move(data)), tile_(tile) {}
  /// Returns the bytes in all.
  MemoryTotal total() const;
  /// Returns the bytes by their use.
  MemoryByCategory category() const { return MemoryByCategory(data_, tile_); }
  /// Returns one vertex for each type on the tile.
  std::vector<Vertex> vertices() const;

private:
  Data data_;
  std::size_t tile_;
};

/// Describes a tile.
class Tile {
public:
  /// Makes a handle; for libpoplar's use.
  Tile(Data data, std::size_t tile) : data_(std::move(data)), tile_(tile) {}
  /// Returns the tile's memory.
  TileMemory memory() const { return TileMemory(data_, tile_); }

private:
  Data data_;
  std::size_t tile_;
};

/// Describes a compute set.
class ComputeSet {
public:
  /// Makes a handle; for libpoplar's use.
  ComputeSet(Data data, std::size_t index) : data_(std::move(data)), index_(index) {}
  /// Returns the debug path.
  std::string name() const;
  /// Returns one vertex for each type in the compute set.
  std::vector<Vertex> vertices() const;

private:
  Data data_;
  std::size_t index_;
};

class Program;
class DoExchangeProgram;
class OnTileExecuteProgram;
class StreamCopyProgram;

/// Receives each kind of program by a function of its own. Override the functions of interest; the
/// others do nothing.
class ProgramVisitor {
public:
  /// Destroys the visitor.
  virtual ~ProgramVisitor() = default;
  /// Gets an exchange between tiles.
  virtual void visitDoExchange(const DoExchangeProgram &) {}
  /// Gets the execution of a compute set.
  virtual void visitOnTileExecute(const OnTileExecuteProgram &) {}
  /// Gets an exchange with the host.
  virtual void visitStreamCopy(const StreamCopyProgram &) {}
  /// Gets any other program.
  virtual void visitOther(const Program &) {}
};

/// Describes one step of the compiled program.
class Program {
public:
  /// The kinds of steps.
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

  /// Makes a handle; for libpoplar's use.
  Program(Data data, std::size_t index) : data_(std::move(data)), index_(index) {}
  /// Destroys the handle.
  virtual ~Program() = default;
  /// Returns the kind of the step.
  Type type() const;
  /// Returns the debug path.
  std::string name() const;
  /// Returns the debug context.
  DebugContext debugContext() const { return DebugContext(name()); }
  /// Returns for each tile the bytes of the supervisor's code for the step itself, as
  /// MemoryByCategory::controlCode() counts them.
  std::vector<std::uint64_t> controlCodeByTile() const;
  /// Returns for each tile the bytes of the code of exchanges: none, as they run outside tile
  /// memory.
  std::vector<std::uint64_t> codeBytesByTile() const;
  /// Returns the steps of its bodies, or of a block. A body of several steps, and one of several
  /// bodies, are Sequences in Poplar; here they are one list.
  std::vector<std::shared_ptr<Program>> children() const;
  /// Returns the number in the report.
  std::size_t _id() const { return index_; }
  /// Calls the function of \p visitor for its kind.
  virtual void accept(ProgramVisitor &visitor) const { visitor.visitOther(*this); }

protected:
  /// Returns the variables and buffers that the step uses.
  std::vector<Var> variables() const;
  /// Returns the report.
  const Data &data() const { return data_; }
  /// Returns the number in the report.
  std::size_t index() const { return index_; }

private:
  Data data_;
  std::size_t index_;
};

/// Describes an exchange between tiles.
class DoExchangeProgram : public Program {
public:
  using Program::Program;
  /// Returns the variables and buffers that it copies from or to.
  std::vector<Var> vars() const { return variables(); }
  /// Calls the visitor.
  void accept(ProgramVisitor &visitor) const override { visitor.visitDoExchange(*this); }
};
/// Describes the execution of a compute set.
class OnTileExecuteProgram : public Program {
public:
  using Program::Program;
  /// Returns the variables that the compute set's vertices are connected to, and its buffers.
  std::vector<Var> vars() const { return variables(); }
  /// Returns the vertices of the compute set.
  std::vector<Vertex> vertices() const { return computeset().vertices(); }
  /// Returns the compute set.
  ComputeSet computeset() const;
  /// Calls the visitor.
  void accept(ProgramVisitor &visitor) const override { visitor.visitOnTileExecute(*this); }
};
/// Describes an exchange with the host.
class StreamCopyProgram : public Program {
public:
  using Program::Program;
  /// Returns the variables that it copies from or to.
  std::vector<Var> vars() const { return variables(); }
  /// Calls the visitor.
  void accept(ProgramVisitor &visitor) const override { visitor.visitStreamCopy(*this); }
};

/// Describes an IPU.
struct IPU {
  /// The architectures.
  enum class Architecture { Ipu1, Ipu2, Ipu21, Unknown };
};

/// Counts what the program itself brought: nothing that the compiler added is counted.
class GraphInfo {
public:
  /// Makes a handle; for libpoplar's use.
  explicit GraphInfo(Data data) : data_(std::move(data)) {}
  /// Returns the number of vertices.
  std::size_t numVertices() const;
  /// Returns the number of compute sets that a program reaches.
  std::size_t numComputeSets() const;
  /// Returns the number of variables.
  std::size_t numVars() const;
  /// Returns the number of edges.
  std::size_t numEdges() const;

private:
  Data data_;
};

/// Describes the machine.
class TargetInfo {
public:
  /// Makes a handle; for libpoplar's use.
  explicit TargetInfo(Data data) : data_(std::move(data)) {}
  /// Returns the number of tiles of one replica.
  std::size_t numTiles() const;
  /// Returns the number of IPUs of all replicas.
  std::size_t numIPUs() const;
  /// Returns the number of replicas.
  std::size_t numReplicas() const;
  /// Returns the number of IPUs of one replica.
  std::size_t ipusPerReplica() const;
  /// Returns the number of tiles of an IPU.
  std::size_t tilesPerIpu() const;
  /// Returns the memory of a tile [bytes].
  std::uint64_t bytesPerTile() const;
  /// Returns the memory of an IPU [bytes].
  std::uint64_t bytesPerIPU() const;
  /// Returns the memory of all tiles of all replicas [bytes].
  std::uint64_t totalMemory() const;
  /// Returns the architecture.
  IPU::Architecture architecture() const;
  /// Returns the clock of the tiles [Hz].
  double clockFrequency() const;

private:
  Data data_;
};

/// Describes the memory of all tiles of a replica that is needed at one step.
class LiveMemory {
public:
  /// Makes a description.
  LiveMemory(std::uint64_t bytes, std::vector<Var> variables)
      : bytes_(bytes), variables_(std::move(variables)) {}
  /// Returns the bytes.
  std::uint64_t bytes() const { return bytes_; }
  /// Returns what takes them.
  const std::vector<Var> &variables() const { return variables_; }

private:
  std::uint64_t bytes_;
  std::vector<Var> variables_;
};

/// Describes one step of the compiled program, and the variables that are live at it.
class LivenessProgramStep {
public:
  /// Makes a handle; for libpoplar's use.
  LivenessProgramStep(Data data, std::size_t program) : data_(std::move(data)), program_(program) {}
  /// Returns the step.
  std::shared_ptr<Program> program() const;
  /// Returns the memory that is live here, but not at all steps.
  LiveMemory notAlwaysLiveMemory() const;

private:
  Data data_;
  std::size_t program_;
};

/// Names steps [start, end) of Compilation::livenessProgramSteps().
struct StepInterval {
  ///@{

  /// The first step, and the one behind the last.
  std::size_t start, end;
  ///@}
};

/// Describes memory that is live at the same steps.
class EquivalenceClass {
public:
  /// Makes a handle; for libpoplar's use.
  EquivalenceClass(Data data, std::uint32_t range) : data_(std::move(data)), range_(range) {}
  /// Returns the number in the report.
  std::uint32_t id() const { return range_; }
  /// Returns the steps.
  std::vector<StepInterval> steps() const;

private:
  Data data_;
  std::uint32_t range_;
};

/// Describes one range of addresses of a tile that a Var has.
class BriefVar {
public:
  /// Makes a handle; for libpoplar's use.
  BriefVar(Data data, std::size_t tile, std::size_t block)
      : data_(std::move(data)), tile_(tile), block_(block) {}
  /// Returns the number on the tile.
  std::size_t id() const { return block_; }
  /// Returns the size [bytes].
  std::uint64_t bytes() const;
  /// Returns the tile.
  std::size_t tileId() const { return tile_; }
  /// Returns the steps at which it is live.
  EquivalenceClass equivalenceClass() const;

private:
  Data data_;
  std::size_t tile_, block_;
};

/// Lists where variables lie on tiles.
class LoweredVariables {
public:
  /// Makes a handle; for libpoplar's use.
  explicit LoweredVariables(Data data) : data_(std::move(data)) {}
  /// Returns the ranges of all tiles.
  std::vector<BriefVar> allBriefVars() const;

private:
  Data data_;
};

/// Describes a compiled graph.
class Compilation {
public:
  /// Makes a handle; for libpoplar's use.
  explicit Compilation(Data data) : data_(std::move(data)) {}
  /// Returns the counts of the graph.
  GraphInfo graph() const { return GraphInfo(data_); }
  /// Returns the machine.
  TargetInfo target() const { return TargetInfo(data_); }
  /// Returns all tiles of a replica.
  std::vector<Tile> tiles() const;
  /// Returns all compute sets.
  std::vector<ComputeSet> computeSets() const;
  /// Returns all steps of the compiled programs and functions; children() lead to the steps of
  /// their bodies.
  std::vector<std::shared_ptr<Program>> programs() const;
  /// Returns the steps of programs that work on data, in the order in which they stand in the
  /// programs.
  std::vector<LivenessProgramStep> livenessProgramSteps() const;
  /// Returns the memory that is needed at all steps.
  LiveMemory alwaysLiveMemory() const;
  /// Returns where variables lie on tiles.
  LoweredVariables loweredVariables() const { return LoweredVariables(data_); }

private:
  Data data_;
};

/// Describes one execution of a compute set.
class ComputeSetRun {
public:
  /// Makes a handle; for libpoplar's use.
  ComputeSetRun(Data data, std::uint32_t cost) : data_(std::move(data)), cost_(cost) {}
  /// Returns the compute set's debug path.
  std::string name() const;
  /// Returns the measured cycles of each tile; empty if they were not measured.
  std::vector<std::uint64_t> cyclesByTile() const;
  /// Returns the estimated cycles of each tile; empty if there is no estimate.
  std::vector<std::uint64_t> estimatedCyclesByTile() const;

private:
  Data data_;
  std::uint32_t cost_;
};

/// Describes the part of one IPU of a replica in a step.
class IPUStep {
public:
  /// Makes the span of cycles.
  IPUStep(std::uint64_t from, std::uint64_t to) : from_(from), to_(to) {}
  /// Returns the duration.
  std::uint64_t cycles() const { return to_ - from_; }
  /// Returns the begin.
  std::uint64_t cyclesFrom() const { return from_; }
  /// Returns the end.
  std::uint64_t cyclesTo() const { return to_; }

private:
  std::uint64_t from_, to_;
};

/// Describes one step of an execution.
class ExecutionStep {
public:
  /// Makes a handle; for libpoplar's use.
  ExecutionStep(Data data, std::size_t run, std::size_t step)
      : data_(std::move(data)), run_(run), step_(step) {}
  /// Returns the compute sets that it executed.
  std::vector<ComputeSetRun> computeSets() const;
  /// Returns the step of the program.
  std::shared_ptr<Program> program() const;
  /// Returns the cycles of each tile, 0 of one without a part.
  std::vector<std::uint64_t> cyclesByTile() const;
  /// Returns the part of each IPU.
  std::vector<IPUStep> ipus() const;
  /// Returns the cycles of the IPU that took longest.
  std::uint64_t cycles() const;
  /// Returns the begin on the IPU that was first.
  std::uint64_t cyclesFrom() const;
  /// Returns the end on the IPU that was last.
  std::uint64_t cyclesTo() const;

private:
  Data data_;
  std::size_t run_, step_;
};

/// Describes one Engine::run().
class Run {
public:
  /// Makes a handle; for libpoplar's use.
  Run(Data data, std::size_t index) : data_(std::move(data)), index_(index) {}
  /// Returns the name that the caller of Engine::run() gave.
  std::string name() const;
  /// Returns its steps, in order of time.
  std::vector<ExecutionStep> steps() const;
  /// Returns its duration [cycles].
  std::uint64_t cycles() const;
  /// Returns its duration on the modelled clock [microseconds].
  double microseconds() const;

private:
  Data data_;
  std::size_t index_;
};

/// Describes the work of one tile for a while: a step, or on the first tile of each IPU a
/// program::Block.
class Block {
public:
  /// Makes a handle; for libpoplar's use.
  Block(Data data, unsigned tile, std::uint32_t program, std::uint64_t from, std::uint64_t to)
      : data_(std::move(data)), tile_(tile), program_(program), from_(from), to_(to) {}
  /// Returns the begin [cycles].
  std::uint64_t cyclesFrom() const { return from_; }
  /// Returns the end [cycles].
  std::uint64_t cyclesTo() const { return to_; }
  /// Returns the tile.
  unsigned tile() const { return tile_; }
  /// Returns true for an exchange with the host.
  bool isStreamCopy() const;
  /// Returns true for all other blocks.
  bool isCommon() const { return !isStreamCopy(); }

  ///@{

  /// Returns false: tiles record blocks into a buffer on hardware, which may run over and is
  /// flushed at times. Here nothing is recorded on tiles.
  bool isOverflow() const { return false; }
  bool isBlockFlush() const { return false; }
  ///@}

  /// Returns the step of the program.
  std::shared_ptr<Program> program() const;

private:
  Data data_;
  unsigned tile_;
  std::uint32_t program_;
  std::uint64_t from_, to_;
};

/// Describes the recorded runs.
class Execution {
public:
  /// Makes a handle; for libpoplar's use.
  explicit Execution(Data data) : data_(std::move(data)) {}
  /// Returns all runs, in order of time.
  std::vector<Run> runs() const;
  /// Returns the steps of all runs.
  std::vector<ExecutionStep> steps() const;
  /// Returns the work of a tile, in order of time.
  std::vector<Block> blocks(unsigned tile) const;

private:
  Data data_;
};

/// Holds a version.
class Version {
public:
  /// Makes a version of its text.
  explicit Version(std::string text) : text_(std::move(text)) {}
  /// Returns the text.
  const std::string &string() const { return text_; }

private:
  std::string text_;
};

/// Holds a profile: a compiled graph, and its execution if that was recorded.
class Report {
public:
  /// Makes a handle; for libpoplar's use.
  explicit Report(Data data) : data_(std::move(data)) {}
  /// Returns the compiled graph.
  Compilation compilation() const { return Compilation(data_); }
  /// Returns the execution.
  /// \throws poplar::missing_profile_data if none was recorded
  Execution execution() const;
  /// Returns the version of the Poplar API that the profile was written with.
  Version poplarVersion() const;

private:
  friend class OperationAnalysis;
  Data data_;
};

/// Describes the steps of a program that come from one debug context.
class Operation {
public:
  /// Makes a handle; for libpoplar's use.
  Operation(Data data, std::string name, std::vector<std::size_t> programs)
      : data_(std::move(data)), name_(std::move(name)), programs_(std::move(programs)) {}
  /// Returns the debug path.
  const std::string &name() const { return name_; }
  /// Returns the debug context.
  DebugContext debugContext() const { return DebugContext(name_); }
  /// Returns the steps.
  std::vector<std::shared_ptr<Program>> programs() const;
  /// Returns the variables that its programs read or write, each once.
  std::vector<Var> vars() const;

  ///@{

  /// Returns its first or last step in Compilation::livenessProgramSteps(); 0 if the variable is
  /// not used there.
  std::size_t firstStepIndex() const;
  std::size_t lastStepIndex() const;
  ///@}

private:
  std::vector<std::size_t> stepIndices() const;

  Data data_;
  std::string name_;
  std::vector<std::size_t> programs_;
};

/// Lists all operations of a report, in the order of their first steps.
class OperationAnalysis {
public:
  /// Finds the operations.
  explicit OperationAnalysis(const Report &report);
  /// Returns the operations.
  const std::vector<Operation> &operations() const { return operations_; }

private:
  std::vector<Operation> operations_;
};

/// Reads a profile.
/// \param path  the file, or the directory that holds profile.pop
/// \throws poplar::file_load_error if the file does not exist, or is something else
Report openReport(const std::string &path);

} // namespace pva
