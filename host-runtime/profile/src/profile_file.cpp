#include "compiler/memory_layout_json.hpp"
#include "poplar/exceptions.hpp"
#include "profile/profile_data.hpp"
#include "types/nested_data.hpp"
#include "types/typed_array.hpp"
#include "wire/readable_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

namespace copse::profile {

using Json = nlohmann::json;
using types::numbers32;
using types::numbers64;
using types::typedArray;

// nlohmann's own conversion by member name. Long lists are typed arrays, one for each member.
namespace {

template <class Row, class Number>
std::vector<Number> column(const std::vector<Row> &rows, Number Row::*member) {
  std::vector<Number> numbers;
  numbers.reserve(rows.size());
  for (const Row &row : rows)
    numbers.push_back(row.*member);
  return numbers;
}

template <class Row>
void setColumn(std::vector<Row> &rows, std::uint32_t Row::*member, const Json &from) {
  const std::vector<std::uint32_t> numbers = numbers32(from);
  rows.resize(std::max(rows.size(), numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    rows[i].*member = numbers[i];
}
template <class Row>
void setColumn(std::vector<Row> &rows, std::uint64_t Row::*member, const Json &from) {
  const std::vector<std::uint64_t> numbers = numbers64(from);
  rows.resize(std::max(rows.size(), numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    rows[i].*member = numbers[i];
}

Json typeCounts(const std::vector<TypeCount> &counts) {
  return {typedArray(column(counts, &TypeCount::type)),
          typedArray(column(counts, &TypeCount::count))};
}
std::vector<TypeCount> typeCountsFrom(const Json &from) {
  std::vector<TypeCount> counts;
  setColumn(counts, &TypeCount::type, from.at(0));
  setColumn(counts, &TypeCount::count, from.at(1));
  return counts;
}

constexpr std::uint32_t kListedFlag = 0x100;

} // namespace

static void to_json(Json &json, const MemoryBounds &b) { json = {b.interleaved, b.end}; }
static void from_json(const Json &json, MemoryBounds &b) { b = {json.at(0), json.at(1)}; }
static void to_json(Json &json, const TileReport &t) { json = typeCounts(t.vertices); }
static void from_json(const Json &json, TileReport &t) { t.vertices = typeCountsFrom(json); }
static void to_json(Json &json, const ComputeSetReport &c) {
  json = {{"name", c.name},
          {"vertices", typeCounts(c.vertices)},
          {"tiles",
           {typedArray(column(c.tiles, &TileVertices::type)),
            typedArray(column(c.tiles, &TileVertices::first)),
            typedArray(column(c.tiles, &TileVertices::tiles)),
            typedArray(column(c.tiles, &TileVertices::vertices))}}};
}
static void from_json(const Json &json, ComputeSetReport &c) {
  json.at("name").get_to(c.name);
  c.vertices = typeCountsFrom(json.at("vertices"));
  const Json &tiles = json.at("tiles");
  setColumn(c.tiles, &TileVertices::type, tiles.at(0));
  setColumn(c.tiles, &TileVertices::first, tiles.at(1));
  setColumn(c.tiles, &TileVertices::tiles, tiles.at(2));
  setColumn(c.tiles, &TileVertices::vertices, tiles.at(3));
}
static void to_json(Json &json, const std::vector<TileTraffic> &t) {
  json = {typedArray(column(t, &TileTraffic::first)), typedArray(column(t, &TileTraffic::count)),
          typedArray(column(t, &TileTraffic::bytes)), typedArray(column(t, &TileTraffic::cycles))};
}
static void from_json(const Json &json, std::vector<TileTraffic> &t) {
  setColumn(t, &TileTraffic::first, json.at(0));
  setColumn(t, &TileTraffic::count, json.at(1));
  setColumn(t, &TileTraffic::bytes, json.at(2));
  setColumn(t, &TileTraffic::cycles, json.at(3));
}
static void to_json(Json &json, const std::vector<TileCycles> &t) {
  json = {typedArray(column(t, &TileCycles::first)), typedArray(column(t, &TileCycles::count)),
          typedArray(column(t, &TileCycles::cycles)),
          typedArray(column(t, &TileCycles::threadCycles))};
}
static void from_json(const Json &json, std::vector<TileCycles> &t) {
  setColumn(t, &TileCycles::first, json.at(0));
  setColumn(t, &TileCycles::count, json.at(1));
  setColumn(t, &TileCycles::cycles, json.at(2));
  setColumn(t, &TileCycles::threadCycles, json.at(3));
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostTransfer, isRemoteBuffer, index, toHost, bytes)
static void to_json(Json &json, const LinkReport &l) { json = {l.from, l.to, l.bytes}; }
static void from_json(const Json &json, LinkReport &l) { l = {json.at(0), json.at(1), json.at(2)}; }
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProgramReport, type, name, bodySteps, index, repeats, traffic,
                                   transfers, links, syncGroups, hasBlocks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProgramRange, first, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BlockReport, name, first, count, isListed)
static void to_json(Json &json, const std::vector<BlockRun> &b) {
  json = {typedArray(column(b, &BlockRun::block)), typedArray(column(b, &BlockRun::first)),
          typedArray(column(b, &BlockRun::end))};
}
static void from_json(const Json &json, std::vector<BlockRun> &b) {
  setColumn(b, &BlockRun::block, json.at(0));
  setColumn(b, &BlockRun::first, json.at(1));
  setColumn(b, &BlockRun::end, json.at(2));
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StreamReport, handle, toHost, broadcast, rowBytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RemoteBufferReport, handle, rowBytes, rows)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OptimizationReport, copiesElided, edgesInPlace, edgesBuffered,
                                   buffersShared, streamCopies, hostExchanges)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TargetReport, type, architecture, replicas, ipus, tilesPerIpu,
                                   workers, bytesPerTile, memory, clockHz, rungBytesPerSecond,
                                   ladderBytesPerSecond)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VertexCycles, type, instances, cycles, threadCycles)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ComputeCost, computeSet, tiles, types)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostUse, isRemoteBuffer, index, copies, bytes, cycles)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRecord, program, name, from, to, firstStep, steps, complete,
                                   cyclesByKind, hostUses)
static void to_json(Json &json, const std::vector<StepReport> &steps) {
  std::vector<std::uint32_t> kinds;
  for (const StepReport &step : steps)
    kinds.push_back(static_cast<std::uint32_t>(step.kind) | (step.isListed ? kListedFlag : 0));
  json = {typedArray(column(steps, &StepReport::program)),
          typedArray(column(steps, &StepReport::cost)), typedArray(kinds)};
}
static void from_json(const Json &json, std::vector<StepReport> &steps) {
  setColumn(steps, &StepReport::program, json.at(0));
  setColumn(steps, &StepReport::cost, json.at(1));
  const std::vector<std::uint32_t> kinds = numbers32(json.at(2));
  steps.resize(std::max(steps.size(), kinds.size()));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    steps[i].kind = static_cast<StepKind>(kinds[i] & (kListedFlag - 1));
    steps[i].isListed = (kinds[i] & kListedFlag) != 0;
  }
}

namespace {

constexpr const char *kFormat = "copse profile 4";

/// Checks that all indices of a report are valid, because readers of the report do not check.
class Consistency {
public:
  explicit Consistency(const ReportData &report) : r_(report) {}

  bool holds() const {
    const std::uint64_t tiles = std::uint64_t{r_.target.ipus} * r_.target.tilesPerIpu;
    return r_.target.ipus > 0 && r_.target.tilesPerIpu > 0 && r_.target.workers > 0 &&
           r_.tiles.size() == tiles && r_.memory.bytesWithGaps.size() == tiles &&
           r_.memory.vertexTypes.size() == r_.vertexTypes.size() &&
           r_.memory.stepTimes.size() == r_.programs.size() &&
           r_.ends.size() == r_.steps.size() * r_.target.ipus &&
           all(r_.tiles, &Consistency::tile) && all(r_.computeSets, &Consistency::computeSet) &&
           verticesAgree() && bodies() && all(r_.linkLoads, &Consistency::linkLoad) &&
           all(r_.roots, &Consistency::range) && all(r_.functions, &Consistency::range) && runs() &&
           all(r_.costs, &Consistency::cost) && all(r_.steps, &Consistency::step) &&
           all(r_.blocks, &Consistency::block) && blockRuns() && times();
  }

private:
  template <class List>
  bool all(const List &list,
           bool (Consistency::*isGood)(const typename List::value_type &) const) const {
    return std::ranges::all_of(list, [&](const auto &one) { return (this->*isGood)(one); });
  }
  bool counts(const std::vector<TypeCount> &types) const {
    return std::ranges::all_of(
        types, [&](const TypeCount &of) { return of.type < r_.vertexTypes.size(); });
  }
  /// Returns true if the tiles ascend and lie within the replica.
  template <class Tiles> bool ascending(const std::vector<Tiles> &tiles) const {
    std::uint64_t end = 0;
    for (const Tiles &entry : tiles) {
      if (entry.first < end || entry.count == 0)
        return false;
      end = std::uint64_t{entry.first} + entry.count;
    }
    return end <= r_.tiles.size();
  }
  /// Returns true if both lists have equal vertices, because each vertex is on one tile and in one
  /// compute set.
  bool verticesAgree() const {
    std::vector<std::uint64_t> onTiles(r_.vertexTypes.size(), 0), inSets = onTiles;
    for (const TileReport &tile : r_.tiles)
      for (const TypeCount &of : tile.vertices)
        onTiles[of.type] += of.count;
    for (const ComputeSetReport &set : r_.computeSets)
      for (const TypeCount &of : set.vertices)
        inSets[of.type] += of.count;
    return onTiles == inSets;
  }
  bool tile(const TileReport &of) const { return counts(of.vertices); }
  bool computeSet(const ComputeSetReport &set) const {
    return counts(set.vertices) && std::ranges::all_of(set.tiles, [&](const TileVertices &of) {
             return of.type < r_.vertexTypes.size() && of.first <= r_.tiles.size() &&
                    of.tiles <= r_.tiles.size() - of.first;
           });
  }
  bool block(const BlockReport &of) const { return range({of.first, of.count}); }
  /// Returns true if blocks ascend and each lies within a run.
  bool blockRuns() const {
    std::uint32_t last = 0;
    for (const BlockRun &of : r_.blockRuns) {
      if (of.block >= r_.blocks.size() || of.first < last || of.first >= of.end || !isInARun(of))
        return false;
      last = of.first;
    }
    return true;
  }
  bool isInARun(const BlockRun &of) const {
    const auto after = std::ranges::upper_bound(r_.runs, of.first, {}, &RunRecord::firstStep);
    if (after == r_.runs.begin())
      return false;
    const RunRecord &run = *std::prev(after);
    return of.end <= run.firstStep + run.steps;
  }
  bool hostIndex(bool isRemoteBuffer, std::uint32_t index) const {
    return index < (isRemoteBuffer ? r_.remoteBuffers.size() : r_.streams.size());
  }
  bool program(const ProgramReport &p) const {
    using Type = pva::Program::Type;
    const auto isIpu = [&](std::uint32_t ipu) { return ipu < r_.target.ipus; };
    return p.type >= Type::Sequence && p.type <= Type::Unknown &&
           (p.type != Type::OnTileExecute || p.index < r_.computeSets.size()) &&
           (p.type != Type::Call || p.index < r_.functions.size()) && ascending(p.traffic) &&
           std::ranges::all_of(
               p.transfers, [&](const auto &t) { return hostIndex(t.isRemoteBuffer, t.index); }) &&
           (p.links == ProgramReport::kNoLinks || p.links < r_.linkLoads.size()) &&
           std::ranges::all_of(
               p.syncGroups, [&](const auto &group) { return std::ranges::all_of(group, isIpu); });
  }
  /// Returns true if bodies end within the body that contains them.
  bool bodies() const {
    std::vector<std::uint64_t> ends{r_.programs.size()};
    for (std::uint64_t i = 0; i < r_.programs.size(); ++i) {
      while (ends.size() > 1 && ends.back() <= i)
        ends.pop_back();
      const std::uint64_t end = i + 1 + r_.programs[i].bodySteps;
      if (end > ends.back() || !program(r_.programs[i]))
        return false;
      if (r_.programs[i].bodySteps > 0)
        ends.push_back(end);
    }
    return true;
  }
  bool range(const ProgramRange &of) const {
    return of.first <= r_.programs.size() && of.count <= r_.programs.size() - of.first;
  }
  bool linkLoad(const std::vector<LinkReport> &links) const {
    const std::uint64_t partition = std::uint64_t{r_.target.ipus} * r_.target.replicas;
    return std::ranges::all_of(links, [&](const LinkReport &link) {
      return link.from < partition && link.to < partition;
    });
  }
  /// Returns true if each run's steps follow those of the runs before it. If runs shared steps, a
  /// reader would take time in proportion to runs times steps.
  bool runs() const {
    std::uint64_t end = 0;
    for (const RunRecord &of : r_.runs) {
      if (of.firstStep < end || !run(of))
        return false;
      end = of.firstStep + of.steps;
    }
    return true;
  }
  bool run(const RunRecord &of) const {
    return (of.cyclesByKind.empty() || of.cyclesByKind.size() == clock::kStepKinds) &&
           of.firstStep <= r_.steps.size() && of.steps <= r_.steps.size() - of.firstStep &&
           std::ranges::all_of(of.hostUses, [&](const HostUse &use) {
             return hostIndex(use.isRemoteBuffer, use.index);
           });
  }
  bool cost(const ComputeCost &of) const {
    return of.computeSet < r_.computeSets.size() && ascending(of.tiles) &&
           std::ranges::all_of(of.types,
                               [&](const auto &type) { return type.type < r_.vertexTypes.size(); });
  }
  bool step(const StepReport &of) const {
    return of.program < r_.programs.size() && of.kind <= StepKind::Sync &&
           (of.cost == StepReport::kNoCost || of.cost < r_.costs.size());
  }
  /// Returns true if clocks never go back.
  bool times() const {
    for (const RunRecord &run : r_.runs)
      for (std::uint32_t s = run.firstStep; s < run.firstStep + run.steps; ++s)
        for (std::uint32_t ipu = 0; ipu < r_.target.ipus; ++ipu)
          if (r_.endOf(s, ipu) < r_.startOf(run, s, ipu))
            return false;
    return true;
  }

  const ReportData &r_;
};

Json reportToJson(const ReportData &r) {
  return {{"poplarVersion", r.poplarVersion},
          {"target", r.target},
          {"variables", r.variables},
          {"edges", r.edges},
          {"optimizations", r.optimizations},
          {"vertexTypes", r.vertexTypes},
          {"memory", compiler::layoutToJson(r.memory)},
          {"tiles", r.tiles},
          {"computeSets", r.computeSets},
          {"programs", r.programs},
          {"roots", r.roots},
          {"functions", r.functions},
          {"blocks", r.blocks},
          {"linkLoads", r.linkLoads},
          {"streams", r.streams},
          {"remoteBuffers", r.remoteBuffers},
          {"hasExecution", r.hasExecution},
          {"runs", r.runs},
          {"costs", r.costs},
          {"steps", r.steps},
          {"ends", typedArray(r.ends)},
          {"blockRuns", r.blockRuns}};
}

ReportData reportFromJson(const Json &from) {
  ReportData r;
  from.at("poplarVersion").get_to(r.poplarVersion);
  from.at("target").get_to(r.target);
  from.at("variables").get_to(r.variables);
  from.at("edges").get_to(r.edges);
  from.at("optimizations").get_to(r.optimizations);
  from.at("vertexTypes").get_to(r.vertexTypes);
  r.memory = compiler::layoutFromJson(from.at("memory"));
  from.at("tiles").get_to(r.tiles);
  from.at("computeSets").get_to(r.computeSets);
  from.at("programs").get_to(r.programs);
  from.at("roots").get_to(r.roots);
  from.at("functions").get_to(r.functions);
  from.at("blocks").get_to(r.blocks);
  from.at("linkLoads").get_to(r.linkLoads);
  from.at("streams").get_to(r.streams);
  from.at("remoteBuffers").get_to(r.remoteBuffers);
  from.at("hasExecution").get_to(r.hasExecution);
  from.at("runs").get_to(r.runs);
  from.at("costs").get_to(r.costs);
  from.at("steps").get_to(r.steps);
  r.ends = numbers64(from.at("ends"));
  from.at("blockRuns").get_to(r.blockRuns);
  return r;
}

} // namespace

void writeReport(std::ostream &out, const ReportData &report) {
  Json::to_cbor(Json{{"format", kFormat}, {"report", reportToJson(report)}}, out);
}

ReportData readReport(std::istream &in, const std::string &nameForMessages) {
  try {
    const Json json = types::parseCbor(in, Json::cbor_tag_handler_t::store);
    if (json.at("format") == kFormat) {
      ReportData report = reportFromJson(json.at("report"));
      if (Consistency(report).holds())
        return report;
    }
  } catch (const Json::exception &) {
    // Whatever is wrong with the bytes, they are not a profile.
  }
  throw poplar::file_load_error("'" + nameForMessages +
                                "' is not a profile that this version can read");
}

std::string profileIn(const std::string &path) {
  std::error_code unknown; // opening the file reports the reason
  return std::filesystem::is_directory(path, unknown) ? path + "/profile.pop" : path;
}

std::ifstream openProfile(const std::string &path) {
  if (const std::string why = wire::whyUnreadable(path); !why.empty())
    throw poplar::file_load_error("cannot open the profile '" + path + "': " + why);
  return std::ifstream(path, std::ios::binary);
}

ReportData readReport(const std::string &path) {
  const std::string name = profileIn(path);
  std::ifstream file = openProfile(name);
  return readReport(file, name);
}

} // namespace copse::profile
