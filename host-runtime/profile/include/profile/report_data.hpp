#pragma once

#include "clock/step_kind.hpp"
#include "pva/pva.hpp"

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace copse::profile {

/// What tile memory is used for; in the order of pva::MemoryByCategory.
enum class MemoryUse : std::uint8_t {
  Variable,
  Constant,
  VertexCode,
  VertexState,
  VertexFieldData,
  VectorListDescriptor,
  CopyDescriptor,
  ControlCode,
  InternalExchangeCode,
  HostExchangeCode,
  Stack
};
inline constexpr std::size_t kMemoryUses = 11;

/// [bytes]; `shared` ones lie where something lies that is live at other times.
struct MemoryBytes {
  std::uint64_t plain = 0, interleaved = 0, overflowed = 0;
  std::uint64_t sharedPlain = 0, sharedInterleaved = 0, sharedOverflowed = 0;
};

struct TileReport {
  std::uint64_t bytes = 0, bytesWithGaps = 0;
  std::array<MemoryBytes, kMemoryUses> uses; ///< by MemoryUse
  std::vector<std::uint32_t>
      vertices; ///< for each, its type: an index into ReportData::vertexTypes
};

struct ComputeSetReport {
  std::string name;                    ///< debug path
  std::vector<std::uint32_t> vertices; ///< as in TileReport
};

struct ProgramReport {
  pva::Program::Type type = pva::Program::Type::Unknown;
  std::string name;
};

struct ComputeSetRun {
  std::uint32_t computeSet = 0; ///< index into ReportData::computeSets
  std::vector<std::uint64_t> cyclesByTile, estimatedCyclesByTile;
};

using clock::StepKind;

struct StepReport {
  std::uint32_t program = 0; ///< index into ReportData::programs
  std::vector<ComputeSetRun> computeSets;
  StepKind kind = StepKind::Compute;
  std::uint64_t from = 0, to = 0; ///< [modelled cycles] of the IPU that is longest at it
};

struct BlockReport {
  std::uint32_t tile = 0;
  std::uint32_t program = 0;
  std::uint64_t from = 0, to = 0; ///< [modelled cycles]
};

struct TargetReport {
  std::string type; ///< "IPU", ...
  std::uint32_t replicas = 1;
  std::uint32_t ipus = 1; ///< of one replica
  std::uint32_t tilesPerIpu = 1;
  std::uint64_t bytesPerTile = 0;
  double clockHz = 0;
};

/// One Engine::run.
struct RunRecord {
  std::uint32_t program = 0;      ///< its number in the engine's list
  std::string name;               ///< as the caller of run() called it
  std::uint64_t from = 0, to = 0; ///< [modelled cycles], as the device's clock had it
  std::uint32_t firstStep = 0;    ///< index into ReportData::steps
  std::uint32_t steps = 0;        ///< that are listed
  bool complete = true;           ///< false: more steps ran than are listed
  /// Of the IPU that was done last, over all steps, shape [kStepKinds]; empty: not known.
  std::vector<std::uint64_t> cyclesByKind;
};

/// All of a profile. The compiler fills the first part, runs fill the second.
struct ReportData {
  std::string poplarVersion;
  TargetReport target;
  std::uint64_t variables = 0, edges = 0;
  std::vector<std::string> vertexTypes;
  std::vector<TileReport> tiles; ///< all tiles of one replica
  std::vector<ComputeSetReport> computeSets;
  std::vector<ProgramReport> programs;

  bool hasExecution = false;
  std::vector<RunRecord> runs;
  std::vector<StepReport> steps;
  std::vector<BlockReport> blocks; ///< in order of time
};

/// The profile file: CBOR. Equal reports give equal bytes.
void writeReport(std::ostream &out, const ReportData &report);
/// \throws poplar::file_load_error if the file is cut, damaged or something else
ReportData readReport(std::istream &in, const std::string &nameForMessages);

} // namespace copse::profile
