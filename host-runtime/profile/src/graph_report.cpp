#include "graph_report.hpp"

#include "isa/memory_map.hpp"
#include "tile_intervals.hpp"

#include "machine/machine_models.hpp"
#include "machine/sync_scheme.hpp"
#include "poplar/VersionString.hpp"
#include "sync/groups.hpp"
#include "types/target_description.hpp"
#include "wire/step_bodies.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace copse::profile {

using wire::Image;
using wire::Op;
using Type = pva::Program::Type;

namespace {

/// Counts the vertices of each type.
class TypeCounts {
public:
  void add(std::uint32_t type) { ++counts_[type]; }
  std::vector<TypeCount> take() const {
    std::vector<TypeCount> counts;
    for (const auto &[type, count] : counts_)
      counts.push_back({type, count});
    return counts;
  }

private:
  std::map<std::uint32_t, std::uint32_t> counts_;
};

/// Describes the steps of a program, which are equal on all IPUs except for the data that they
/// move.
class ProgramReports {
public:
  explicit ProgramReports(const poplar::Executable::Impl &executable)
      : program_(executable.program),
        timing_(machine::timingModelOf(types::describe(executable.target), program_.replicas)),
        syncConfiguration_(machine::syncConfigurationOf(executable.target)),
        computeSets_(reportedNumbers(program_.images.front())) {}

  std::vector<ProgramReport> all() {
    std::vector<ProgramReport> reports;
    for (const wire::Step &step : first().steps)
      reports.push_back(reportOf(step));
    return reports;
  }
  std::vector<std::vector<LinkReport>> takeLinkLoads() { return std::move(linkLoads_); }

private:
  const Image &first() const { return program_.images.front(); }

  ProgramReport reportOf(const wire::Step &step) {
    ProgramReport report = namedReport(step);
    report.bodySteps = static_cast<std::uint32_t>(wire::bodySteps(step));
    switch (step.op) {
    case Op::ComputeSet:
      report.index = computeSets_[step.index].value_or(0);
      break;
    case Op::Call:
      report.index = step.index;
      break;
    case Op::Repeat:
      report.repeats = step.count;
      break;
    case Op::Exchange:
      describeExchange(step, report);
      break;
    case Op::HostExchange:
      describeHostExchange(step.index, report);
      break;
    case Op::RemoteCopy:
      describeRemoteCopy(step.index, report);
      break;
    case Op::Sync:
      report.syncGroups = groupsOf(static_cast<wire::SyncGroup>(step.index));
      break;
    default: // has only bodies
      break;
    }
    return report;
  }

  ProgramReport namedReport(const wire::Step &step) const {
    const auto named = [](Type type, std::string name) {
      ProgramReport report;
      report.type = type;
      report.name = std::move(name);
      return report;
    };
    switch (step.op) {
    case Op::ComputeSet:
      return named(computeSets_[step.index] ? Type::OnTileExecute : Type::Unknown,
                   first().computeSets[step.index].name);
    case Op::Exchange:
      return named(clock::kindOf(first(), step) == StepKind::GlobalExchange ? Type::GlobalExchange
                                                                            : Type::DoExchange,
                   first().exchanges[step.index].name);
    case Op::Sync:
      return named(Type::Sync, wire::nameOf(static_cast<wire::SyncGroup>(step.index)));
    case Op::HostExchange:
      return named(Type::StreamCopyMid, first().hostExchanges[step.index].name);
    case Op::RemoteCopy:
      return named(Type::StreamCopyMid, first().remoteCopies[step.index].name);
    case Op::Repeat:
    case Op::While:
      return named(Type::Repeat, "");
    case Op::If:
      return named(Type::If, "");
    case Op::Switch:
      return named(Type::Switch, "");
    case Op::Call:
      return named(Type::Call, "");
    case Op::Case:
      return named(Type::Sequence, "");
    default: // pva has no type for this step
      return named(Type::Unknown, "");
    }
  }

  void describeExchange(const wire::Step &step, ProgramReport &report) {
    const bool isGlobal = report.type == Type::GlobalExchange;
    for (const Image &image : program_.images) {
      std::map<std::uint32_t, TileTraffic> tiles;
      for (const wire::Exchange &exchange : wire::exchangesOf(image, step)) {
        for (const clock::TileExchange &tile : timing_.internalExchangeTiles(exchange)) {
          tiles[tile.tile].bytes += tile.bytes;
          tiles[tile.tile].cycles += isGlobal ? 0 : tile.cycles;
        }
        for (const auto *messages : {&exchange.sends, &exchange.receives})
          for (const wire::Message &message : *messages)
            for (const wire::Region &region : message.regions)
              tiles[region.tile].bytes += region.size();
      }
      addTraffic(image, tiles, report);
    }
    if (isGlobal)
      report.links = linkLoadOf(wire::exchangesOf(first(), step));
  }

  /// Returns the number of the link load; exchanges of equal traffic share one.
  std::uint32_t linkLoadOf(std::span<const wire::Exchange> exchanges) {
    const auto [found, isNew] = numberOfTraffic_.try_emplace(
        clock::trafficOf(exchanges), static_cast<std::uint32_t>(linkLoads_.size()));
    if (isNew) {
      linkLoads_.emplace_back();
      for (const clock::LinkBytes &link : timing_.linkBytes(
               exchanges, program_.replicas, static_cast<std::uint32_t>(program_.images.size())))
        linkLoads_.back().push_back({link.from.value, link.to.value, link.bytes});
    }
    return found->second;
  }

  void describeHostExchange(std::uint32_t index, ProgramReport &report) const {
    const auto &transfers = first().hostExchanges[index].transfers;
    for (const wire::StreamTransfer &transfer : transfers)
      report.transfers.push_back(
          {false, transfer.stream, transfer.direction == wire::Direction::ToHost, 0});
    for (const Image &image : program_.images) {
      std::map<std::uint32_t, TileTraffic> tiles;
      const auto &own = image.hostExchanges[index].transfers;
      for (std::size_t i = 0; i < own.size(); ++i) {
        report.transfers[i].bytes += own[i].view.bytes;
        addRegions(own[i].view, tiles);
      }
      addTraffic(image, tiles, report);
    }
  }

  void describeRemoteCopy(std::uint32_t index, ProgramReport &report) const {
    const wire::RemoteCopy &copy = first().remoteCopies[index];
    report.transfers.push_back(
        {true, copy.buffer, copy.direction == wire::Direction::ToHost, copy.replicaBytes});
    for (const Image &image : program_.images) {
      std::map<std::uint32_t, TileTraffic> tiles;
      addRegions(image.remoteCopies[index].view, tiles);
      addTraffic(image, tiles, report);
    }
  }

  static void addRegions(const wire::HostView &view, std::map<std::uint32_t, TileTraffic> &tiles) {
    for (const wire::Region &region : view.regions)
      tiles[region.tile].bytes += region.size();
  }

  /// \param tiles  tiles of the IPU of \p image
  static void addTraffic(const Image &image, const std::map<std::uint32_t, TileTraffic> &tiles,
                         ProgramReport &report) {
    for (const auto &[tile, traffic] : tiles)
      appendTile(report.traffic,
                 {image.ipu * image.geometry.tiles + tile, 1, traffic.bytes, traffic.cycles});
  }

  /// Returns the groups of IPUs in the first replica that wait for each other, or for corresponding
  /// IPUs of other replicas.
  std::vector<std::vector<std::uint32_t>> groupsOf(wire::SyncGroup group) const {
    const auto ipus = static_cast<std::uint32_t>(program_.images.size());
    std::vector<std::vector<std::uint32_t>> groups;
    std::vector<bool> isIn(ipus, false);
    for (std::uint32_t ipu = 0; ipu < ipus; ++ipu) {
      if (isIn[ipu])
        continue;
      std::vector<std::uint32_t> members;
      for (const wire::IpuId member :
           sync::membersOf(group, syncConfiguration_, {program_.replicas, ipus}, {ipu}))
        members.push_back(member.value % ipus);
      std::ranges::sort(members);
      const auto rest = std::ranges::unique(members);
      members.erase(rest.begin(), rest.end());
      for (const std::uint32_t member : members)
        isIn[member] = true;
      groups.push_back(std::move(members));
    }
    return groups;
  }

  const compiler::CompiledProgram &program_;
  clock::TimingModel timing_;
  wire::SyncConfiguration syncConfiguration_;
  /// Number in images -> number in the report.
  std::vector<std::optional<std::uint32_t>> computeSets_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> numberOfTraffic_;
  std::vector<std::vector<LinkReport>> linkLoads_; ///< by number of traffic
};

/// \param number  number of the compute set in the images
void reportComputeSet(const compiler::CompiledProgram &program, std::uint32_t number,
                      std::vector<TypeCounts> &tiles, ReportData &report) {
  TypeCounts counts;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> byTypeAndTile;
  for (const Image &image : program.images)
    for (const wire::TileVertices &tile : image.computeSets[number].tiles)
      for (std::uint32_t i = tile.first; i < tile.first + tile.count; ++i) {
        const std::uint32_t type = image.computeSets[number].vertices[i].function;
        const std::uint32_t on = image.ipu * image.geometry.tiles + tile.tile;
        counts.add(type);
        tiles[on].add(type);
        ++byTypeAndTile[{type, on}];
      }
  std::vector<TileVertices> alike;
  for (const auto &[typeAndTile, vertices] : byTypeAndTile) {
    const auto [type, tile] = typeAndTile;
    TileVertices *last = alike.empty() ? nullptr : &alike.back();
    if (last && last->type == type && last->first + last->tiles == tile &&
        last->vertices == vertices)
      ++last->tiles;
    else
      alike.push_back({type, tile, 1, vertices});
  }
  report.computeSets.push_back(
      {program.images.front().computeSets[number].name, counts.take(), std::move(alike)});
}

void reportHostSide(const compiler::CompiledProgram &program, ReportData &report) {
  for (const compiler::Stream &stream : program.streams)
    report.streams.push_back({stream.definition.handle, stream.definition.toHost,
                              stream.definition.broadcast, stream.rowBytes});
  for (const compiler::RemoteBuffer &buffer : program.remoteBuffers)
    report.remoteBuffers.push_back(
        {buffer.definition.handle, buffer.rowBytes, buffer.definition.repeats});
}

OptimizationReport optimizationsOf(const compiler::CompiledProgram &program) {
  const compiler::Optimizations &of = program.optimizations;
  OptimizationReport report{of.copiesElided, of.edgesInPlace, of.edgesBuffered, of.buffersShared};
  for (const wire::HostExchange &exchange : program.images.front().hostExchanges)
    report.streamCopies += exchange.transfers.size();
  report.hostExchanges = program.images.front().hostExchanges.size();
  return report;
}

TargetReport targetOf(const poplar::Executable::Impl &executable) {
  const types::TargetDescription &target = types::describe(executable.target);
  TargetReport report;
  report.type = poplar::toString(target.targetType);
  report.replicas = executable.program.replicas;
  report.ipus = target.numIPUs;
  report.tilesPerIpu = target.tilesPerIPU;
  const bool isCpu = target.arch == types::Architecture::Cpu;
  report.architecture = "cpu";
  if (!isCpu)
    report.architecture = static_cast<std::string>(executable.target.getTargetArchString());
  report.workers = target.tile.workers;
  report.bytesPerTile = target.tile.bytesPerTile;
  report.memory.end = target.tile.memoryBase + target.tile.bytesPerTile;
  if (!isCpu)
    report.memory.interleaved = isa::memoryMapOf(target.arch).interleaved;
  report.clockHz = target.tile.clockFrequency;
  const auto machine = clock::parseMachineModel(machine::machineModelOf(target));
  report.rungBytesPerSecond = machine->rungBytesPerSecond;
  report.ladderBytesPerSecond = machine->ladderBytesPerSecond;
  return report;
}

} // namespace

std::vector<std::optional<std::uint32_t>> reportedNumbers(const Image &image) {
  std::vector<bool> reached(image.computeSets.size(), false);
  wire::visitReachable(image, image.programs, [&](std::uint32_t at) {
    if (image.steps[at].op == Op::ComputeSet)
      reached[image.steps[at].index] = true;
  });
  std::vector<std::optional<std::uint32_t>> numbers(reached.size());
  std::uint32_t next = 0;
  for (std::size_t set = 0; set < reached.size(); ++set)
    if (reached[set])
      numbers[set] = next++;
  return numbers;
}

ReportData reportOfGraph(const poplar::Executable::Impl &executable) {
  const compiler::CompiledProgram &program = executable.program;
  const Image &first = program.images.front();
  ReportData report;
  report.poplarVersion = poplar::versionString();
  report.target = targetOf(executable);
  report.variables = program.variableCount;
  report.edges = program.edgeCount;
  report.optimizations = optimizationsOf(program);
  for (const wire::CodeletFunction &function : first.functions)
    report.vertexTypes.push_back(function.vertexType);
  report.memory = program.memory;
  ProgramReports programs(executable);
  report.programs = programs.all();
  report.linkLoads = programs.takeLinkLoads();
  for (const wire::StepRange &range : first.programs)
    report.roots.push_back({range.first, range.count});
  for (const wire::StepRange &range : first.calls)
    report.functions.push_back({range.first, range.count});
  for (const compiler::ProgramBlock &block : program.blocks)
    report.blocks.push_back({block.name, block.steps.first, block.steps.count});
  reportHostSide(program, report);
  const auto numbers = reportedNumbers(first);
  std::vector<TypeCounts> tiles(program.memory.bytesWithGaps.size());
  for (std::uint32_t set = 0; set < numbers.size(); ++set)
    if (numbers[set])
      reportComputeSet(program, set, tiles, report);
  for (const TypeCounts &counts : tiles)
    report.tiles.push_back({counts.take()});
  return report;
}

} // namespace copse::profile
