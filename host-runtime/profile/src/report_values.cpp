#include "profile/report_values.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>

namespace copse::profile {

using poplar::ProfileValue;

namespace {

constexpr std::array<const char *, kMemoryUses> kUseNames{"variable",
                                                          "constant",
                                                          "vertexCode",
                                                          "vertexInstanceState",
                                                          "vertexFieldData",
                                                          "vectorListDescriptor",
                                                          "copyDescriptor",
                                                          "controlCode",
                                                          "internalExchangeCode",
                                                          "hostExchangeCode",
                                                          "stack"};

constexpr std::array<const char *, clock::kStepKinds> kStepKindNames{
    "compute", "internalExchange", "globalExchange", "hostExchange", "sync"};

std::uint64_t totalOf(const MemoryBytes &bytes) {
  return bytes.plain + bytes.interleaved + bytes.overflowed + bytes.sharedPlain +
         bytes.sharedInterleaved + bytes.sharedOverflowed;
}

std::string typeName(pva::Program::Type type) {
  static constexpr std::array<const char *, 13> kNames{
      "Sequence",      "DoExchange",    "GlobalExchange", "OnTileExecute", "StreamCopyBegin",
      "StreamCopyMid", "StreamCopyEnd", "Sync",           "Repeat",        "If",
      "Switch",        "Call",          "Unknown"};
  return kNames[static_cast<std::size_t>(type)];
}

ProfileValue targetOf(const ReportData &report) {
  const TargetReport &target = report.target;
  const std::uint64_t tiles = std::uint64_t{target.ipus} * target.tilesPerIpu;
  return ProfileValue::Map{{"type", target.type},
                           {"numReplicas", target.replicas},
                           {"ipusPerReplica", target.ipus},
                           {"numIPUs", target.ipus * target.replicas},
                           {"tilesPerIpu", target.tilesPerIpu},
                           {"tilesPerReplica", tiles},
                           {"numTiles", tiles * target.replicas},
                           {"bytesPerTile", target.bytesPerTile},
                           {"totalMemory", tiles * target.replicas * target.bytesPerTile},
                           {"clockFrequency", target.clockHz}};
}

ProfileValue graphOf(const ReportData &report) {
  std::uint64_t vertices = 0;
  for (const TileReport &tile : report.tiles)
    vertices += tile.vertices.size();
  return ProfileValue::Map{{"numVertices", vertices},
                           {"numEdges", report.edges},
                           {"numVars", report.variables},
                           {"numComputeSets", report.computeSets.size()}};
}

ProfileValue memoryOf(const ReportData &report) {
  ProfileValue::Vector tiles, withGaps;
  std::array<std::uint64_t, kMemoryUses> uses{};
  for (const TileReport &tile : report.tiles) {
    tiles.emplace_back(tile.bytes);
    withGaps.emplace_back(tile.bytesWithGaps);
    for (std::size_t use = 0; use < kMemoryUses; ++use)
      uses[use] += totalOf(tile.uses[use]);
  }
  ProfileValue::Map byCategory;
  for (std::size_t use = 0; use < kMemoryUses; ++use)
    byCategory.emplace(kUseNames[use], uses[use]);
  return ProfileValue::Map{{"byCategory", std::move(byCategory)},
                           {"byTile", std::move(tiles)},
                           {"byTileIncludingGaps", std::move(withGaps)}};
}

ProfileValue computeSetsOf(const ReportData &report) {
  ProfileValue::Vector computeSets;
  for (const ComputeSetReport &computeSet : report.computeSets) {
    std::map<std::uint32_t, std::uint64_t> counts;
    for (const std::uint32_t type : computeSet.vertices)
      ++counts[type];
    ProfileValue::Map vertices;
    for (const auto &[type, count] : counts)
      vertices.emplace(report.vertexTypes[type], count);
    computeSets.emplace_back(
        ProfileValue::Map{{"name", computeSet.name}, {"vertices", std::move(vertices)}});
  }
  return computeSets;
}

ProfileValue programOf(const ReportData &report, std::uint32_t index) {
  const ProgramReport &program = report.programs[index];
  return ProfileValue::Map{{"type", typeName(program.type)}, {"name", program.name}};
}

std::uint64_t busiestTile(const StepReport &step) {
  std::uint64_t most = 0;
  for (const ComputeSetRun &run : step.computeSets)
    for (const std::uint64_t cycles : run.cyclesByTile)
      most = std::max(most, cycles);
  return most;
}

std::uint64_t activeTiles(const StepReport &step) {
  std::uint64_t active = 0;
  for (const ComputeSetRun &run : step.computeSets)
    for (const std::uint64_t cycles : run.cyclesByTile)
      active += cycles > 0;
  return active;
}

ProfileValue stepOf(const ReportData &report, const StepReport &step) {
  ProfileValue::Map map{{"program", programOf(report, step.program)},
                        {"kind", nameOf(step.kind)},
                        {"from", step.from},
                        {"to", step.to}};
  if (!step.computeSets.empty()) {
    map.emplace("busiestTileCycles", busiestTile(step));
    map.emplace("activeTiles", activeTiles(step));
  }
  return map;
}

ProfileValue::Map byKindOf(std::span<const std::uint64_t> cycles) {
  ProfileValue::Map map;
  for (std::size_t kind = 0; kind < cycles.size(); ++kind)
    map.emplace(kStepKindNames[kind], cycles[kind]);
  return map;
}

ProfileValue runOf(const RunRecord &run) {
  ProfileValue::Map map{
      {"program", run.program},     {"name", run.name},   {"from", run.from},        {"to", run.to},
      {"firstStep", run.firstStep}, {"steps", run.steps}, {"complete", run.complete}};
  if (!run.cyclesByKind.empty())
    map.emplace("cycles", byKindOf(run.cyclesByKind));
  return map;
}

} // namespace

const char *nameOf(StepKind kind) { return kStepKindNames[static_cast<std::size_t>(kind)]; }

ProfileValue graphProfileOf(const ReportData &report) {
  ProfileValue::Vector types, programs;
  for (const std::string &type : report.vertexTypes)
    types.emplace_back(type);
  for (std::uint32_t program = 0; program < report.programs.size(); ++program)
    programs.push_back(programOf(report, program));
  return ProfileValue::Map{
      {"target", targetOf(report)},           {"graph", graphOf(report)},
      {"memory", memoryOf(report)},           {"vertexTypes", std::move(types)},
      {"computeSets", computeSetsOf(report)}, {"programs", std::move(programs)}};
}

ProfileValue executionProfileOf(const ReportData &report) {
  if (!report.hasExecution)
    return ProfileValue::Map{};
  ProfileValue::Vector runs, steps;
  std::uint64_t total = 0;
  for (const RunRecord &run : report.runs) {
    runs.push_back(runOf(run));
    total += run.to - run.from;
  }
  std::array<std::uint64_t, kStepKindNames.size()> byKind{};
  for (const StepReport &step : report.steps) {
    steps.push_back(stepOf(report, step));
    byKind[static_cast<std::size_t>(step.kind)] += step.to - step.from;
  }
  ProfileValue::Map cycles = byKindOf(byKind);
  cycles.emplace("total", total);
  return ProfileValue::Map{{"runs", std::move(runs)},
                           {"steps", std::move(steps)},
                           {"cycles", std::move(cycles)},
                           {"clockFrequency", report.target.clockHz}};
}

} // namespace copse::profile
