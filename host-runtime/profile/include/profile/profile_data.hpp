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

/// The contents of a profile. host-runtime/profile/README.md describes the file.
namespace copse::profile {

using clock::StepKind;

/// A number of vertices of one type.
struct TypeCount {
  std::uint32_t type = 0; ///< index into ReportData::vertexTypes
  std::uint32_t count = 0;
};

/// A tile of one replica. Tiles are numbered over the replica's IPUs: ipu * tilesPerIpu + tile.
struct TileReport {
  std::vector<TypeCount> vertices;
};

/// Adjacent tiles with equally many vertices of one type in a compute set.
struct TileVertices {
  std::uint32_t type = 0;             ///< index into ReportData::vertexTypes
  std::uint32_t first = 0, tiles = 0; ///< range of tiles
  std::uint32_t vertices = 0;         ///< per tile
};

struct ComputeSetReport {
  std::string name; ///< debug path
  std::vector<TypeCount> vertices;
  std::vector<TileVertices> tiles; ///< these vertices by tile: ascending by type, then by tile
};

/// Adjacent tiles with equal shares in a step.
struct TileTraffic {
  std::uint32_t first = 0, count = 0; ///< range of tiles
  std::uint64_t bytes = 0;            ///< per tile: sent, received and copied
  std::uint64_t cycles = 0;           ///< per tile; 0: as long as the step takes on its IPU
};

/// The data that a host exchange or a remote copy moves.
struct HostTransfer {
  bool isRemoteBuffer = false;
  std::uint32_t index = 0; ///< index into ReportData::streams or ::remoteBuffers
  bool toHost = false;
  std::uint64_t bytes = 0; ///< per replica, over all IPUs
};

/// The bytes that an IPU-Link carries in one direction.
struct LinkReport {
  std::uint32_t from = 0, to = 0; ///< numbers in the partition
  std::uint64_t bytes = 0;
};

/// One step of the compiled program, followed by the steps of its bodies.
struct ProgramReport {
  static constexpr std::uint32_t kNoLinks = 0xFFFFFFFF;
  pva::Program::Type type = pva::Program::Type::Unknown;
  std::string name;
  std::uint32_t bodySteps = 0; ///< number of following steps that are bodies of this one
  /// Compute set: index into ReportData::computeSets. Call: index into ReportData::functions.
  std::uint32_t index = 0;
  std::uint32_t repeats = 0; ///< trips of a Repeat without condition
  std::vector<TileTraffic> traffic;
  std::vector<HostTransfer> transfers;
  std::uint32_t links = kNoLinks; ///< index into ReportData::linkLoads
  std::vector<std::vector<std::uint32_t>>
      syncGroups;        ///< IPUs of a replica that wait for each other
  bool hasBlocks = true; ///< Execution::blocks shows the step
};

/// A program::Block: steps [first, first + count) of ReportData::programs.
struct BlockReport {
  std::string name; ///< debug path
  std::uint32_t first = 0, count = 0;
  bool isListed = true; ///< matches profiler.blocks.filter
};

/// One execution of a block: steps [first, end) of ReportData::steps, all in one run.
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
  std::uint64_t rowBytes = 0; ///< per replica and copy
};

struct RemoteBufferReport {
  std::string handle;
  std::uint64_t rowBytes = 0, rows = 0;
};

/// Statistics of copies that the compiler avoided.
struct OptimizationReport {
  std::uint64_t copiesElided = 0;  ///< variables that share the memory of the variables they copy
  std::uint64_t edgesInPlace = 0;  ///< edges that refer to a variable's own memory
  std::uint64_t edgesBuffered = 0; ///< edges that need a copy of their elements
  std::uint64_t buffersShared = 0; ///< buffered edges that use another edge's copy
  std::uint64_t streamCopies = 0;  ///< transfers of all host exchanges
  std::uint64_t hostExchanges = 0; ///< number of host exchanges after merging
};

/// The machine for which the reported graph was compiled.
struct TargetReport {
  std::string type;         ///< "IPU", ...
  std::string architecture; ///< "ipu2", ...
  std::uint32_t replicas = 1;
  std::uint32_t ipus = 1; ///< per replica
  std::uint32_t tilesPerIpu = 1;
  std::uint32_t workers = 6;
  std::uint64_t bytesPerTile = 0;
  MemoryBounds memory; ///< addresses
  double clockHz = 0;
  /// The bandwidth of an IPU-Link in one direction: within a pair, and between pairs.
  double rungBytesPerSecond = 0, ladderBytesPerSecond = 0;
};

/// Adjacent tiles for which a compute set takes equally long.
struct TileCycles {
  std::uint32_t first = 0, count = 0; ///< range of tiles
  std::uint64_t cycles = 0;           ///< per tile
  std::uint64_t threadCycles = 0;     ///< per tile, over all workers
};

struct VertexCycles {
  std::uint32_t type = 0; ///< index into ReportData::vertexTypes
  std::uint64_t instances = 0;
  std::uint64_t cycles = 0;       ///< sum over the vertices
  std::uint64_t threadCycles = 0; ///< multiplied by the workers that each occupies
};

/// The cost of one execution of a compute set; executions of equal cost share a ComputeCost.
struct ComputeCost {
  std::uint32_t computeSet = 0; ///< index into ReportData::computeSets
  std::vector<TileCycles> tiles;
  std::vector<VertexCycles> types;
};

/// One executed step on all IPUs. On each IPU it begins when the previous step has ended there.
struct StepReport {
  static constexpr std::uint32_t kNoCost = 0xFFFFFFFF;
  std::uint32_t program = 0;    ///< index into ReportData::programs
  std::uint32_t cost = kNoCost; ///< index into ReportData::costs, for a compute set
  StepKind kind = StepKind::Compute;
  bool isListed = true; ///< matches profiler.programs.filter
};

/// The data of one stream or remote buffer that the host moved in a run, and how long IPUs waited
/// for them.
struct HostUse {
  bool isRemoteBuffer = false;
  std::uint32_t index = 0; ///< index into ReportData::streams or ::remoteBuffers
  std::uint64_t copies = 0;
  std::uint64_t bytes = 0;  ///< per replica
  std::uint64_t cycles = 0; ///< waited by the slowest IPU of each copy
};

/// One Engine::run.
struct RunRecord {
  std::uint32_t program = 0;      ///< number in the engine's list
  std::string name;               ///< the name that the caller of run() gave
  std::uint64_t from = 0, to = 0; ///< [modelled cycles], by the device's clock
  std::uint32_t firstStep = 0;    ///< index into ReportData::steps
  std::uint32_t steps = 0;        ///< number of recorded steps
  bool complete = true;           ///< false: more steps ran than are recorded
  /// The cycles of the IPU that finished last, over all steps, shape [kStepKinds]; empty: unknown.
  std::vector<std::uint64_t> cyclesByKind;
  std::vector<HostUse> hostUses;
};

/// The whole profile. The compiler fills the first part, runs fill the second.
struct ReportData {
  std::string poplarVersion;
  TargetReport target;
  std::uint64_t variables = 0, edges = 0;
  OptimizationReport optimizations;
  std::vector<std::string> vertexTypes;
  compiler::MemoryLayout memory; ///< its steps are in `programs`
  std::vector<TileReport> tiles; ///< all tiles of one replica
  std::vector<ComputeSetReport> computeSets;
  std::vector<ProgramReport> programs;
  std::vector<ProgramRange> roots;                ///< programs in the engine's list
  std::vector<ProgramRange> functions;            ///< functions that these call
  std::vector<BlockReport> blocks;                ///< outer blocks precede nested ones
  std::vector<std::vector<LinkReport>> linkLoads; ///< per execution of a step, over all replicas
  std::vector<StreamReport> streams;
  std::vector<RemoteBufferReport> remoteBuffers;

  bool hasExecution = false;
  std::vector<RunRecord> runs;
  std::vector<ComputeCost> costs;
  std::vector<StepReport> steps;
  std::vector<std::uint64_t> ends; ///< [modelled cycles], shape [steps][target.ipus]
  std::vector<BlockRun> blockRuns; ///< ascending by first step

  /// Both times count from the run's start on every IPU.
  std::uint64_t startOf(const RunRecord &run, std::uint32_t step, std::uint32_t ipu) const {
    return step == run.firstStep ? run.from : endOf(step - 1, ipu);
  }
  std::uint64_t endOf(std::uint32_t step, std::uint32_t ipu) const {
    return ends[std::size_t{step} * target.ipus + ipu];
  }
};

/// The time from the first IPU's start of a step to the last IPU's end, and the cycles of the IPU
/// that takes longest.
struct StepSpan {
  std::uint64_t from = 0, to = 0, cycles = 0;
};
StepSpan spanOf(const ReportData &report, const RunRecord &run, std::uint32_t step);

/// Returns the IPU that arrived last at a sync step for which IPU \p ipu waited; \p ipu itself if
/// it did not wait.
std::uint32_t waitedFor(const ReportData &report, const RunRecord &run, std::uint32_t step,
                        std::uint32_t ipu);

/// Return the cycles of each tile, shape [tiles]; 0 for a tile without work in the step.
std::vector<std::uint64_t> cyclesByTile(const ReportData &report, const ComputeCost &cost);
std::vector<std::uint64_t> cyclesByTile(const ReportData &report, const RunRecord &run,
                                        std::uint32_t step);

/// A time span that one tile spent on a step, or on a program::Block.
struct Block {
  std::uint32_t program = 0;      ///< index into ReportData::programs, or beyond them into ::blocks
  std::uint64_t from = 0, to = 0; ///< [modelled cycles]
};
/// Returns the spans of a tile in order of time, outer ones before nested ones. Only the first tile
/// of each IPU has program::Blocks.
std::vector<Block> blocksOf(const ReportData &report, std::uint32_t tile);

/// Writes the profile file (CBOR). Equal reports give equal bytes.
void writeReport(std::ostream &out, const ReportData &report);
/// \throws poplar::file_load_error if the file is truncated, damaged or not a profile
ReportData readReport(std::istream &in, const std::string &nameForMessages);

/// Returns \p path, or the path of profile.pop in it if \p path is a directory.
std::string profileIn(const std::string &path);
/// \throws poplar::file_load_error if the file cannot be opened
std::ifstream openProfile(const std::string &path);
/// Reads the profile at profileIn(\p path).
/// \throws poplar::file_load_error if the file cannot be opened, is truncated, damaged or not a
///   profile
ReportData readReport(const std::string &path);

} // namespace copse::profile
