#include "profile/profile_values.hpp"

#include "profile/execution_account.hpp"
#include "profile/memory_account.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>

namespace copse::profile {

using compiler::LiveRanges;
using poplar::ProfileValue;

namespace {

/// Names used by pva, in order of MemoryUse.
constexpr std::array<const char *, kMemoryUses> kUseNames{"variable",        "constant",
                                                          "message",         "rearrangement",
                                                          "stack",           "vertexInstanceState",
                                                          "vertexFieldData", "vectorListDescriptor",
                                                          "controlCode",     "vertexCode"};

constexpr std::array<const char *, kMemoryRegions> kRegionNames{"nonInterleaved", "interleaved",
                                                                "overflowed"};

constexpr std::array<const char *, clock::kStepKinds> kStepKindNames{
    "compute", "internalExchange", "globalExchange", "hostExchange", "sync"};

ProfileValue targetValue(const ReportData &report) {
  const TargetReport &target = report.target;
  const std::uint64_t tiles = std::uint64_t{target.ipus} * target.tilesPerIpu;
  return ProfileValue::Map{{"type", target.type},
                           {"numReplicas", target.replicas},
                           {"ipusPerReplica", target.ipus},
                           {"numIPUs", target.ipus * target.replicas},
                           {"tilesPerIpu", target.tilesPerIpu},
                           {"tilesPerReplica", tiles},
                           {"numTiles", tiles * target.replicas},
                           {"workers", target.workers},
                           {"bytesPerTile", target.bytesPerTile},
                           {"totalMemory", tiles * target.replicas * target.bytesPerTile},
                           {"clockFrequency", target.clockHz}};
}

ProfileValue graphOf(const ReportData &report) {
  std::uint64_t vertices = 0;
  for (const TileReport &tile : report.tiles)
    for (const TypeCount &of : tile.vertices)
      vertices += of.count;
  return ProfileValue::Map{{"numVertices", vertices},
                           {"numEdges", report.edges},
                           {"numVars", report.variables},
                           {"numComputeSets", report.computeSets.size()}};
}

ProfileValue regionsOf(const RegionBytes &bytes) {
  ProfileValue::Map map;
  for (std::size_t region = 0; region < kMemoryRegions; ++region)
    map.emplace(kRegionNames[region], bytes.bytes[region]);
  return map;
}

/// Returns the bytes of each use, which \p bytesOf extracts from UseBytes.
ProfileValue usesOf(const MemoryAccount &account, const auto &bytesOf) {
  ProfileValue::Map map;
  for (std::size_t use = 0; use < kMemoryUses; ++use)
    map.emplace(kUseNames[use], bytesOf(account.uses[use]));
  return map;
}

ProfileValue vertexDataOf(const ReportData &report) {
  compiler::VertexBytes all;
  ProfileValue::Map types;
  for (std::size_t type = 0; type < report.vertexTypes.size(); ++type) {
    const compiler::VertexBytes &bytes = report.memory.vertexTypes[type];
    all += bytes;
    if (bytes.vertices > 0)
      types.emplace(report.vertexTypes[type], bytes.total());
  }
  return ProfileValue::Map{{"byCategory", ProfileValue::Map{{"internalState", all.internalState},
                                                            {"edgePointers", all.edgePointers},
                                                            {"copyPointers", 0},
                                                            {"padding", all.padding},
                                                            {"descriptors", all.listDescriptors}}},
                           {"byType", std::move(types)},
                           {"total", all.total()}};
}

/// Returns the uses of the fullest of the overflowing tiles; only a few, as people read them.
ProfileValue worstTilesOf(const std::vector<MemoryAccount> &tiles, std::uint64_t bytesPerTile) {
  constexpr std::size_t kMost = 5;
  std::vector<std::size_t> over;
  for (std::size_t tile = 0; tile < tiles.size(); ++tile)
    if (tiles[tile].withGaps > bytesPerTile)
      over.push_back(tile);
  std::ranges::stable_sort(
      over, [&](std::size_t a, std::size_t b) { return tiles[a].withGaps > tiles[b].withGaps; });
  ProfileValue::Vector worst;
  for (const std::size_t tile : std::span(over).first(std::min(kMost, over.size())))
    worst.emplace_back(
        ProfileValue::Map{{"tile", tile},
                          {"includingGaps", tiles[tile].withGaps},
                          {"excludingGaps", tiles[tile].withoutGaps()},
                          {"byCategory", usesOf(tiles[tile], [](const UseBytes &use) {
                             return use.notOverlapped.total() + use.overlapped.total();
                           })}});
  return worst;
}

ProfileValue memoryOf(const ReportData &report) {
  const std::vector<MemoryAccount> accounts = accountsOfTiles(report.memory, report.target.memory);
  ProfileValue::Vector tiles, withGaps;
  MemoryAccount all;
  for (const MemoryAccount &tile : accounts) {
    tiles.emplace_back(tile.withoutGaps());
    withGaps.emplace_back(tile.withGaps);
    all += tile;
  }
  RegionBytes regions = all.once;
  regions += all.shared;
  const auto both = [](const UseBytes &use) {
    return use.notOverlapped.total() + use.overlapped.total();
  };
  return ProfileValue::Map{
      {"byTile", std::move(tiles)},
      {"byTileIncludingGaps", std::move(withGaps)},
      {"byRegion", regionsOf(regions)},
      {"byCategory", usesOf(all, both)},
      {"notOverlapped", usesOf(all, [](const UseBytes &use) { return use.notOverlapped.total(); })},
      {"overlapped", usesOf(all, [](const UseBytes &use) { return use.overlapped.total(); })},
      {"afterOverlapping", all.shared.total()},
      {"vertexData", vertexDataOf(report)},
      {"worstTiles", worstTilesOf(accounts, report.target.bytesPerTile)}};
}

/// Returns the items of memory with their live ranges: lists of [first, last] steps of time.
ProfileValue livenessOf(const ReportData &report) {
  ProfileValue::Vector ranges, items;
  for (const auto &range : report.memory.ranges) {
    ProfileValue::Vector intervals;
    for (const compiler::LiveInterval &interval : range)
      intervals.emplace_back(ProfileValue::Vector{interval.first, interval.last});
    ranges.emplace_back(std::move(intervals));
  }
  std::uint64_t always = 0;
  for (const compiler::MemoryItem &item : report.memory.items) {
    if (item.bytes == 0 || item.range == LiveRanges::kNever)
      continue;
    ProfileValue::Map map{{"name", item.name},
                          {"category", kUseNames[static_cast<std::size_t>(item.use)]},
                          {"bytes", item.bytes}};
    if (item.range == LiveRanges::kAlways)
      always += item.bytes;
    else
      map.emplace("range", item.range);
    items.emplace_back(std::move(map));
  }
  const std::vector<std::uint64_t> live = compiler::liveBytesByTime(report.memory);
  return ProfileValue::Map{{"alwaysLiveBytes", always},
                           {"maxLiveBytes", always + (live.empty() ? 0 : std::ranges::max(live))},
                           {"items", std::move(items)},
                           {"ranges", std::move(ranges)}};
}

ProfileValue computeSetsOf(const ReportData &report) {
  ProfileValue::Vector computeSets;
  for (const ComputeSetReport &computeSet : report.computeSets) {
    ProfileValue::Map vertices;
    for (const TypeCount &of : computeSet.vertices)
      vertices.emplace(report.vertexTypes[of.type], of.count);
    computeSets.emplace_back(
        ProfileValue::Map{{"name", computeSet.name}, {"vertices", std::move(vertices)}});
  }
  return computeSets;
}

ProfileValue programsOf(const ReportData &report) {
  ProfileValue::Vector programs;
  for (std::size_t i = 0; i < report.programs.size(); ++i) {
    const ProgramReport &program = report.programs[i];
    ProfileValue::Map map{
        {"type", nameOf(program.type)}, {"name", program.name}, {"bodySteps", program.bodySteps}};
    if (program.type == pva::Program::Type::Call)
      map.emplace("function", program.index);
    if (const std::uint32_t time = report.memory.stepTimes[i];
        time != compiler::MemoryLayout::kNoTime)
      map.emplace("time", time);
    programs.emplace_back(std::move(map));
  }
  return programs;
}

ProfileValue rangesOf(const std::vector<ProgramRange> &ranges) {
  ProfileValue::Vector values;
  for (const ProgramRange &range : ranges)
    values.emplace_back(ProfileValue::Map{{"first", range.first}, {"count", range.count}});
  return values;
}

ProfileValue optimizationsValue(const OptimizationReport &o) {
  return ProfileValue::Map{{"copiesElided", o.copiesElided},   {"edgesInPlace", o.edgesInPlace},
                           {"edgesBuffered", o.edgesBuffered}, {"buffersShared", o.buffersShared},
                           {"streamCopies", o.streamCopies},   {"hostExchanges", o.hostExchanges}};
}

ProfileValue typesOf(const ReportData &report, const std::vector<VertexCycles> &types) {
  ProfileValue::Vector values;
  for (const VertexCycles &of : types)
    values.emplace_back(ProfileValue::Map{{"name", report.vertexTypes[of.type]},
                                          {"instances", of.instances},
                                          {"cycles", of.cycles},
                                          {"threadCycles", of.threadCycles}});
  return values;
}

/// Returns the steps of an execution as values; steps share common values.
class StepValues {
public:
  explicit StepValues(const ReportData &report) : report_(report), accounts_(report) {}

  ProfileValue of(const RunRecord &run, std::uint32_t index) {
    const StepReport &step = report_.steps[index];
    const StepAccount account = accounts_.of(run, index);
    ProfileValue::Map map{{"program", programOf(step.program)}, {"kind", nameOf(step.kind)},
                          {"from", account.span.from},          {"to", account.span.to},
                          {"cycles", account.span.cycles},      {"overlapped", account.overlapped}};
    if (step.kind != StepKind::Sync) {
      map.emplace("tileCycles", account.tileCycles);
      map.emplace("maxTileCycles", account.maxTileCycles);
      map.emplace("tiles", tilesOf(step, account));
    }
    return map;
  }

private:
  const ProfileValue &programOf(std::uint32_t program) {
    const auto [found, isNew] = programs_.try_emplace(program);
    if (isNew)
      found->second = ProfileValue::Map{{"type", nameOf(report_.programs[program].type)},
                                        {"name", report_.programs[program].name}};
    return found->second;
  }
  const ProfileValue &tilesOf(const StepReport &step, const StepAccount &account) {
    const bool isCompute = step.cost != StepReport::kNoCost;
    const auto [found, isNew] =
        isCompute ? byCost_.try_emplace(step.cost) : byProgram_.try_emplace(step.program);
    if (!isNew)
      return found->second;
    ProfileValue::Map map{{"active", account.activeTiles}};
    if (isCompute) {
      map.emplace("threadCycles", account.threadCycles);
      map.emplace("vertexTypes", typesOf(report_, report_.costs[step.cost].types));
    } else {
      map.emplace("bytes", account.bytes);
      map.emplace("maxBytes", account.maxBytes);
    }
    return found->second = std::move(map);
  }

  const ReportData &report_;
  StepAccounts accounts_;
  std::map<std::uint32_t, ProfileValue> programs_, byCost_, byProgram_;
};

ProfileValue::Map byKindOf(std::span<const std::uint64_t> cycles) {
  ProfileValue::Map map;
  for (std::size_t kind = 0; kind < cycles.size(); ++kind)
    map.emplace(kStepKindNames[kind], cycles[kind]);
  return map;
}

ProfileValue hostUsesOf(const ReportData &report, const RunRecord &run) {
  ProfileValue::Vector uses;
  for (const HostUse &use : run.hostUses)
    uses.emplace_back(
        ProfileValue::Map{{"kind", use.isRemoteBuffer ? "remoteBuffer" : "stream"},
                          {"handle", use.isRemoteBuffer ? report.remoteBuffers[use.index].handle
                                                        : report.streams[use.index].handle},
                          {"copies", use.copies},
                          {"bytes", use.bytes},
                          {"cycles", use.cycles}});
  return uses;
}

/// \param firstStep, steps  range of the listed steps
ProfileValue runOf(const ReportData &report, const RunRecord &run, std::size_t firstStep,
                   std::size_t steps) {
  ProfileValue::Map map{{"program", run.program},
                        {"name", run.name},
                        {"from", run.from},
                        {"to", run.to},
                        {"firstStep", firstStep},
                        {"steps", steps},
                        {"complete", run.complete && steps == run.steps},
                        {"hostUses", hostUsesOf(report, run)}};
  if (!run.cyclesByKind.empty())
    map.emplace("cycles", byKindOf(run.cyclesByKind));
  return map;
}

ProfileValue tileCyclesOf(const ReportData &report, const ExecutionAccount &account) {
  return ProfileValue::Map{{"tiles", account.tiles},
                           {"recordedCycles", account.recordedCycles},
                           {"compute", account.compute},
                           {"threadCycles", account.threadCycles},
                           {"workers", report.target.workers},
                           {"internalExchange", account.exchange},
                           {"globalExchange", account.globalExchange},
                           {"hostExchange", account.hostExchange},
                           {"sync", account.sync()}};
}

ProfileValue linksOf(const ReportData &report) {
  ProfileValue::Vector links;
  for (const LinkReport &link : linkBytes(report))
    links.emplace_back(
        ProfileValue::Map{{"from", link.from}, {"to", link.to}, {"bytes", link.bytes}});
  return links;
}

} // namespace

const char *nameOf(pva::Program::Type type) {
  static constexpr std::array<const char *, 13> kNames{
      "Sequence",      "DoExchange",    "GlobalExchange", "OnTileExecute", "StreamCopyBegin",
      "StreamCopyMid", "StreamCopyEnd", "Sync",           "Repeat",        "If",
      "Switch",        "Call",          "Unknown"};
  return kNames[static_cast<std::size_t>(type)];
}
const char *nameOf(StepKind kind) { return kStepKindNames[static_cast<std::size_t>(kind)]; }
const char *nameOf(MemoryUse use) { return kUseNames[static_cast<std::size_t>(use)]; }

ProfileValue graphProfileOf(const ReportData &report) {
  ProfileValue::Vector types;
  for (const std::string &type : report.vertexTypes)
    types.emplace_back(type);
  return ProfileValue::Map{{"target", targetValue(report)},
                           {"graph", graphOf(report)},
                           {"memory", memoryOf(report)},
                           {"liveness", livenessOf(report)},
                           {"optimizations", optimizationsValue(report.optimizations)},
                           {"vertexTypes", std::move(types)},
                           {"computeSets", computeSetsOf(report)},
                           {"programs", programsOf(report)},
                           {"roots", rangesOf(report.roots)},
                           {"functions", rangesOf(report.functions)}};
}

ProfileValue executionProfileOf(const ReportData &report) {
  if (!report.hasExecution)
    return ProfileValue::Map{};
  ProfileValue::Vector runs, steps;
  StepValues values(report);
  std::array<std::uint64_t, kStepKindNames.size()> byKind{};
  for (const RunRecord &run : report.runs) {
    const std::size_t first = steps.size();
    for (std::uint32_t s = run.firstStep; s < run.firstStep + run.steps; ++s) {
      if (!report.steps[s].isListed)
        continue;
      steps.push_back(values.of(run, s));
      byKind[static_cast<std::size_t>(report.steps[s].kind)] += spanOf(report, run, s).cycles;
    }
    runs.push_back(runOf(report, run, first, steps.size() - first));
  }
  const ExecutionAccount account = accountOfExecution(report);
  ProfileValue::Map cycles = byKindOf(byKind);
  cycles.emplace("total", account.cycles);
  return ProfileValue::Map{{"runs", std::move(runs)},
                           {"steps", std::move(steps)},
                           {"cycles", std::move(cycles)},
                           {"tileCycles", tileCyclesOf(report, account)},
                           {"vertexTypes", typesOf(report, account.types)},
                           {"links", linksOf(report)},
                           {"clockFrequency", report.target.clockHz}};
}

} // namespace copse::profile
