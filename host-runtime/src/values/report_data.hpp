#pragma once

#include "pva/pva.hpp"

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace copse::values {

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

struct ComputeSetRunReport {
  std::uint32_t computeSet = 0; ///< index into ReportData::computeSets
  std::vector<std::uint64_t> cyclesByTile, estimatedCyclesByTile;
};

struct StepReport {
  std::uint32_t program = 0; ///< index into ReportData::programs
  std::vector<ComputeSetRunReport> computeSets;
};

struct BlockReport {
  std::uint32_t tile = 0;
  std::uint32_t program = 0;
  std::uint64_t from = 0, to = 0; ///< [modelled cycles]
};

/// All of a profile. The compiler fills the first part, runs fill the second.
struct ReportData {
  std::string poplarVersion;
  std::vector<std::string> vertexTypes;
  std::vector<TileReport> tiles; ///< all tiles of the target
  std::vector<ComputeSetReport> computeSets;
  std::vector<ProgramReport> programs;

  bool hasExecution = false;
  std::vector<StepReport> steps;
  std::vector<BlockReport> blocks; ///< in order of time
};

/// The profile file: CBOR. Equal reports give equal bytes.
void writeReport(std::ostream &out, const ReportData &report);
/// \throws poplar::file_load_error if the file is cut, damaged or something else
ReportData readReport(std::istream &in, const std::string &nameForMessages);

} // namespace copse::values
