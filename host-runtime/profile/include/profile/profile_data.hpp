#pragma once

#include "clock/step_kind.hpp"
#include "pva/pva.hpp"

#include "compiler/memory_layout.hpp"
#include "profile/memory_account.hpp"

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

/// All that a profile holds. host-runtime/profile/README.md describes the file.
namespace copse::profile {

using clock::StepKind;

/// `count` things of one type.
struct TypeCount {
  std::uint32_t type = 0; ///< index into ReportData::vertexTypes
  std::uint32_t count = 0;
};

/// Tiles are those of one replica, numbered over its IPUs: ipu * tilesPerIpu + tile.
struct TileReport {
  std::vector<TypeCount> vertices;
};

/// Neighbouring tiles that have equally many vertices of one type of a compute set.
struct TileVertices {
  std::uint32_t type = 0;             ///< index into ReportData::vertexTypes
  std::uint32_t first = 0, tiles = 0; ///< tiles
  std::uint32_t vertices = 0;         ///< of each
};

struct ComputeSetReport {
  std::string name; ///< debug path
  std::vector<TypeCount> vertices;
  std::vector<TileVertices> tiles; ///< the same vertices: ascending by type, then by tile
};

/// Neighbouring tiles that have the same part in a step.
struct TileTraffic {
  std::uint32_t first = 0, count = 0; ///< tiles
  std::uint64_t bytes = 0;            ///< of each: sent, received and copied
  std::uint64_t cycles = 0;           ///< of each; 0: as long as the step takes on its IPU
};

/// The data that a host exchange or a remote copy moves.
struct HostTransfer {
  bool isRemoteBuffer = false;
  std::uint32_t index = 0; ///< into ReportData::streams or ::remoteBuffers
  bool toHost = false;
  std::uint64_t bytes = 0; ///< of one replica, all IPUs
};

/// Bytes that an IPU-Link carries in one direction.
struct LinkReport {
  std::uint32_t from = 0, to = 0; ///< IPUs of the partition
  std::uint64_t bytes = 0;
};

/// One step of the compiled program. Steps of bodies follow the step that they are bodies of.
struct ProgramReport {
  static constexpr std::uint32_t kNoLinks = 0xFFFFFFFF;
  pva::Program::Type type = pva::Program::Type::Unknown;
  std::string name;
  std::uint32_t bodySteps = 0; ///< of the steps that follow, how many are bodies of this one
  /// Of a compute set: into ReportData::computeSets. Of a call: into ReportData::functions.
  std::uint32_t index = 0;
  std::uint32_t repeats = 0; ///< of a Repeat without condition
  std::vector<TileTraffic> traffic;
  std::vector<HostTransfer> transfers;
  std::uint32_t links = kNoLinks; ///< into ReportData::linkLoads
  std::vector<std::vector<std::uint32_t>>
      syncGroups;        ///< IPUs of a replica that wait for each other
  bool hasBlocks = true; ///< Execution::blocks shows the step
};

/// A program::Block: so many steps of ReportData::programs.
struct BlockReport {
  std::string name; ///< debug path
  std::uint32_t first = 0, count = 0;
  bool isListed = true; ///< profiler.blocks.filter wants it
};

/// One execution of a block: steps [first, end) of ReportData::steps, which are of one run.
struct BlockRun {
  std::uint32_t block = 0; ///< index into ReportData::blocks
  std::uint32_t first = 0, end = 0;
};

/// Steps [first, first + count) of ReportData::programs.
struct ProgramRange {
  std::uint32_t first = 0, count = 0;
};

struct StreamReport {
  std::string handle;
  bool toHost = false;
  bool broadcast = false;
  std::uint64_t rowBytes = 0; ///< of one replica and one copy
};

struct RemoteBufferReport {
  std::string handle;
  std::uint64_t rowBytes = 0, rows = 0;
};

/// Copies that the compiler saved.
struct OptimizationReport {
  std::uint64_t copiesElided = 0;  ///< variables that lie in the memory of what they are copies of
  std::uint64_t edgesInPlace = 0;  ///< edges that point at a variable's own memory
  std::uint64_t edgesBuffered = 0; ///< edges that need a copy of their elements
  std::uint64_t buffersShared = 0; ///< of them, those for which another edge's copy serves
  std::uint64_t streamCopies = 0;  ///< transfers of all host exchanges
  std::uint64_t hostExchanges = 0; ///< that they were merged into
};

struct TargetReport {
  std::string type;         ///< "IPU", ...
  std::string architecture; ///< "ipu2", ...
  std::uint32_t replicas = 1;
  std::uint32_t ipus = 1; ///< of one replica
  std::uint32_t tilesPerIpu = 1;
  std::uint32_t workers = 6;
  std::uint64_t bytesPerTile = 0;
  MemoryBounds memory; ///< addresses
  double clockHz = 0;
  /// Of one direction of an IPU-Link: between the IPUs of a pair, and from one pair to the next.
  double rungBytesPerSecond = 0, ladderBytesPerSecond = 0;
};

/// Neighbouring tiles for which a compute set takes the same.
struct TileCycles {
  std::uint32_t first = 0, count = 0; ///< tiles
  std::uint64_t cycles = 0;           ///< of each
  std::uint64_t threadCycles = 0;     ///< of all workers of each
};

struct VertexCycles {
  std::uint32_t type = 0; ///< into ReportData::vertexTypes
  std::uint64_t instances = 0;
  std::uint64_t cycles = 0;       ///< of the vertices, one after another
  std::uint64_t threadCycles = 0; ///< times the workers that each occupies
};

/// The cost of one execution of a compute set. Executions of equal cost share one of these.
struct ComputeCost {
  std::uint32_t computeSet = 0; ///< into ReportData::computeSets
  std::vector<TileCycles> tiles;
  std::vector<VertexCycles> types;
};

/// One step of an execution, on all IPUs. On each IPU it begins when the step before has ended.
struct StepReport {
  static constexpr std::uint32_t kNoCost = 0xFFFFFFFF;
  std::uint32_t program = 0;    ///< into ReportData::programs
  std::uint32_t cost = kNoCost; ///< into ReportData::costs, of a compute set
  StepKind kind = StepKind::Compute;
  bool isListed = true; ///< profiler.programs.filter wants it
};

/// Data of one stream or remote buffer that the host moved in a run, and how long IPUs waited for them.
struct HostUse {
  bool isRemoteBuffer = false;
  std::uint32_t index = 0; ///< into ReportData::streams or ::remoteBuffers
  std::uint64_t copies = 0;
  std::uint64_t bytes = 0;  ///< of one replica
  std::uint64_t cycles = 0; ///< in which the slowest IPU of each copy stood still for it
};

/// One Engine::run.
struct RunRecord {
  std::uint32_t program = 0;      ///< its number in the engine's list
  std::string name;               ///< as the caller of run() called it
  std::uint64_t from = 0, to = 0; ///< [modelled cycles], as the device's clock had it
  std::uint32_t firstStep = 0;    ///< index into ReportData::steps
  std::uint32_t steps = 0;        ///< that are recorded
  bool complete = true;           ///< false: more steps ran than are recorded
  /// Of the IPU that was done last, over all steps, shape [kStepKinds]; empty: not known.
  std::vector<std::uint64_t> cyclesByKind;
  std::vector<HostUse> hostUses;
};

/// All of a profile. The compiler fills the first part, runs fill the second.
struct ReportData {
  std::string poplarVersion;
  TargetReport target;
  std::uint64_t variables = 0, edges = 0;
  OptimizationReport optimizations;
  std::vector<std::string> vertexTypes;
  compiler::MemoryLayout memory; ///< its steps are `programs`
  std::vector<TileReport> tiles; ///< all tiles of one replica
  std::vector<ComputeSetReport> computeSets;
  std::vector<ProgramReport> programs;
  std::vector<ProgramRange> roots;                ///< the programs of the engine's list
  std::vector<ProgramRange> functions;            ///< that they call
  std::vector<BlockReport> blocks;                ///< an outer one before those in it
  std::vector<std::vector<LinkReport>> linkLoads; ///< of one execution of a step, over all replicas
  std::vector<StreamReport> streams;
  std::vector<RemoteBufferReport> remoteBuffers;

  bool hasExecution = false;
  std::vector<RunRecord> runs;
  std::vector<ComputeCost> costs;
  std::vector<StepReport> steps;
  std::vector<std::uint64_t> ends; ///< [modelled cycles], shape [steps][target.ipus]
  std::vector<BlockRun> blockRuns; ///< ascending by first step

  /// Each counts from the run's start on every IPU.
  std::uint64_t startOf(const RunRecord &run, std::uint32_t step, std::uint32_t ipu) const {
    return step == run.firstStep ? run.from : endOf(step - 1, ipu);
  }
  std::uint64_t endOf(std::uint32_t step, std::uint32_t ipu) const {
    return ends[std::size_t{step} * target.ipus + ipu];
  }
};

/// From the first IPU's start of a step to the last one's end, and the cycles of the IPU that is longest at it.
struct StepSpan {
  std::uint64_t from = 0, to = 0, cycles = 0;
};
StepSpan spanOf(const ReportData &report, const RunRecord &run, std::uint32_t step);

/// The IPU that came last to a sync step, for which IPU \p ipu waited; \p ipu itself if it waited for none.
std::uint32_t waitedFor(const ReportData &report, const RunRecord &run, std::uint32_t step,
                        std::uint32_t ipu);

/// Shape [tiles]; 0 of a tile without a part.
std::vector<std::uint64_t> cyclesByTile(const ReportData &report, const ComputeCost &cost);
std::vector<std::uint64_t> cyclesByTile(const ReportData &report, const RunRecord &run,
                                        std::uint32_t step);

/// A stretch of time that one tile spent on a step, or on a program::Block.
struct Block {
  std::uint32_t program = 0; ///< into ReportData::programs; from their number on, into ::blocks
  std::uint64_t from = 0, to = 0; ///< [modelled cycles]
};
/// In order of time, an outer one before those in it. The first tile of each IPU has the program::Blocks.
std::vector<Block> blocksOf(const ReportData &report, std::uint32_t tile);

/// The profile file: CBOR. Equal reports give equal bytes.
void writeReport(std::ostream &out, const ReportData &report);
/// \throws poplar::file_load_error if the file is cut, damaged or something else
ReportData readReport(std::istream &in, const std::string &nameForMessages);

/// \p path, or the profile.pop in it if \p path is a directory.
std::string profileIn(const std::string &path);
/// \throws poplar::file_load_error if the file cannot be opened
std::ifstream openProfile(const std::string &path);
/// Of profileIn(\p path).
/// \throws poplar::file_load_error if the file cannot be opened, is cut, damaged or something else
ReportData readReport(const std::string &path);

} // namespace copse::profile
