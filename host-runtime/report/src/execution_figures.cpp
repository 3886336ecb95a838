#include "figures.hpp"
#include "runs_of_numbers.hpp"

#include "profile/execution_account.hpp"
#include "profile/profile_values.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace copse::report {

using clock::kStepKinds;
using Json = nlohmann::json;
using profile::ReportData;
using profile::RunRecord;
using profile::StepReport;

namespace {

/// The number of steps with a map of tiles on the page; the most expensive ones.
constexpr std::size_t kMostMaps = 200;

/// Calls \p visit(run, step) for each recorded step.
template <class Visit> void eachStep(const ReportData &data, Visit visit) {
  for (const RunRecord &run : data.runs)
    for (std::uint32_t step = run.firstStep; step < run.firstStep + run.steps; ++step)
      visit(run, step);
}

std::uint64_t cyclesOf(const ReportData &data, const RunRecord &run, std::uint32_t step,
                       std::uint32_t ipu) {
  return data.endOf(step, ipu) - data.startOf(run, step, ipu);
}

/// All executions of one step of the program.
struct StepCost {
  clock::StepKind kind = clock::StepKind::Compute;
  std::uint64_t runs = 0;
  std::uint64_t cycles = 0;     ///< cycles of the slowest IPU, summed over executions
  std::uint64_t ipuCycles = 0;  ///< cycles of all IPUs
  profile::StepAccount longest; ///< the longest execution
  std::uint32_t cost = StepReport::kNoCost;
};

std::map<std::uint32_t, StepCost> costsOf(const ReportData &data) {
  std::map<std::uint32_t, StepCost> costs;
  profile::StepAccounts accounts(data);
  eachStep(data, [&](const RunRecord &run, std::uint32_t step) {
    const StepReport &what = data.steps[step];
    if (!what.isListed)
      return;
    const profile::StepAccount account = accounts.of(run, step);
    StepCost &cost = costs[what.program];
    for (std::uint32_t ipu = 0; ipu < data.target.ipus; ++ipu)
      cost.ipuCycles += cyclesOf(data, run, step, ipu);
    cost.kind = what.kind;
    cost.cycles += account.span.cycles;
    if (cost.runs++ == 0 || account.span.cycles > cost.longest.span.cycles) {
      cost.longest = account;
      cost.cost = what.cost;
    }
  });
  return costs;
}

/// Returns one figure of every tile. \param ranges  of tiles, ascending; it is 0 for all other
/// tiles
template <class Ranges, class Figure>
Json tilesOf(const Ranges &ranges, std::size_t tiles, Figure figure) {
  RunsOfNumbers runs;
  std::uint64_t at = 0;
  for (const auto &range : ranges) {
    if (range.first > at)
      runs.add(0, range.first - at);
    runs.add(figure(range), range.count);
    at = std::uint64_t{range.first} + range.count;
  }
  if (at < tiles)
    runs.add(0, tiles - at);
  return runs.take();
}

/// Returns the cycles of each tile for a compute set, else the bytes that each tile moves.
Json mapOf(const ReportData &data, std::uint32_t program, const StepCost &cost) {
  const std::size_t tiles = data.tiles.size();
  if (cost.cost != StepReport::kNoCost)
    return tilesOf(data.costs[cost.cost].tiles, tiles,
                   [](const profile::TileCycles &range) { return range.cycles; });
  return tilesOf(data.programs[program].traffic, tiles,
                 [](const profile::TileTraffic &range) { return range.bytes; });
}

/// Returns the mean of all tiles as a share of the slowest tile.
double balanceOf(const profile::StepAccount &account, std::size_t tiles) {
  return account.maxTileCycles == 0
             ? 0
             : static_cast<double>(account.tileCycles) /
                   (static_cast<double>(account.maxTileCycles) * static_cast<double>(tiles));
}

Json costFigures(const ReportData &data, const std::map<std::uint32_t, StepCost> &costs) {
  std::vector<std::uint32_t> byCost;
  for (const auto &[program, cost] : costs)
    byCost.push_back(program);
  std::ranges::stable_sort(byCost, std::ranges::greater{},
                           [&](std::uint32_t program) { return costs.at(program).cycles; });
  Json list = Json::array();
  std::size_t maps = 0;
  for (const std::uint32_t program : byCost) {
    const StepCost &cost = costs.at(program);
    Json one{{"program", program},          {"kind", cost.kind},
             {"runs", cost.runs},           {"cycles", cost.cycles},
             {"ipuCycles", cost.ipuCycles}, {"longest", cost.longest.span.cycles}};
    if (cost.longest.activeTiles > 0) {
      one["activeTiles"] = cost.longest.activeTiles;
      one["tileBalance"] = balanceOf(cost.longest, data.tiles.size());
      if (maps++ < kMostMaps)
        one["tiles"] = mapOf(data, program, cost);
    }
    list.push_back(std::move(one));
  }
  return list;
}

Json vertexFigures(const ReportData &data) {
  std::vector<std::uint64_t> vertices(data.vertexTypes.size(), 0);
  for (const profile::TileReport &tile : data.tiles)
    for (const profile::TypeCount &count : tile.vertices)
      vertices[count.type] += count.count;
  Json list = Json::array();
  for (const profile::VertexCycles &type : profile::accountOfExecution(data).types)
    list.push_back({{"name", data.vertexTypes[type.type]},
                    {"cycles", type.cycles},
                    {"executions", type.instances},
                    {"vertices", vertices[type.type]}});
  return list;
}

/// Returns for each IPU how often and how long, in total, others waited for it.
Json waitFigures(const ReportData &data) {
  struct Wait {
    std::uint64_t cycles = 0, steps = 0;
  };
  const std::uint32_t ipus = data.target.ipus;
  std::vector<Wait> waits(ipus);
  std::vector<bool> wasLast(ipus);
  eachStep(data, [&](const RunRecord &run, std::uint32_t step) {
    if (data.steps[step].kind != clock::StepKind::Sync)
      return;
    wasLast.assign(ipus, false);
    for (std::uint32_t ipu = 0; ipu < ipus; ++ipu)
      if (const std::uint32_t last = profile::waitedFor(data, run, step, ipu); last != ipu) {
        waits[last].cycles += data.startOf(run, step, last) - data.startOf(run, step, ipu);
        wasLast[last] = true;
      }
    for (std::uint32_t ipu = 0; ipu < ipus; ++ipu)
      waits[ipu].steps += wasLast[ipu];
  });
  Json list = Json::array();
  for (std::uint32_t ipu = 0; ipu < ipus; ++ipu)
    list.push_back({{"ipu", ipu}, {"cycles", waits[ipu].cycles}, {"steps", waits[ipu].steps}});
  return list;
}

Json runFigures(const ReportData &data) {
  Json list = Json::array();
  for (const RunRecord &run : data.runs)
    list.push_back({{"program", run.program},
                    {"name", run.name},
                    {"from", run.from},
                    {"to", run.to},
                    {"firstStep", run.firstStep},
                    {"steps", run.steps},
                    {"complete", run.complete}});
  return list;
}

/// Returns cycles by kind that add up to the duration of the runs: of the IPU that finished last if
/// known for every run, else the mean of all IPUs over the recorded steps.
Json cyclesByKind(const ReportData &data) {
  std::array<std::uint64_t, kStepKinds> cycles{};
  const bool areKnown = std::ranges::none_of(
      data.runs, [](const RunRecord &run) { return run.cyclesByKind.empty(); });
  if (areKnown) {
    for (const RunRecord &run : data.runs)
      for (std::size_t kind = 0; kind < kStepKinds; ++kind)
        cycles[kind] += run.cyclesByKind[kind];
    return cycles;
  }
  eachStep(data, [&](const RunRecord &run, std::uint32_t step) {
    for (std::uint32_t ipu = 0; ipu < data.target.ipus; ++ipu)
      cycles[static_cast<std::size_t>(data.steps[step].kind)] += cyclesOf(data, run, step, ipu);
  });
  for (std::uint64_t &sum : cycles)
    sum /= data.target.ipus;
  return cycles;
}

} // namespace

Json executionFigures(const ReportData &data) {
  if (data.runs.empty())
    return nullptr;
  Json kinds = Json::array();
  for (std::size_t kind = 0; kind < kStepKinds; ++kind)
    kinds.push_back(profile::nameOf(static_cast<clock::StepKind>(kind)));
  Json steps = Json::array(), stepKinds = Json::array();
  for (const StepReport &step : data.steps) {
    steps.push_back(step.program);
    stepKinds.push_back(step.kind);
  }
  Json ipus = Json::array();
  for (std::uint32_t ipu = 0; ipu < data.target.ipus; ++ipu) {
    Json cycles = Json::array();
    eachStep(data, [&](const RunRecord &run, std::uint32_t step) {
      cycles.push_back(cyclesOf(data, run, step, ipu));
    });
    ipus.push_back(std::move(cycles));
  }
  return {{"kinds", std::move(kinds)},
          {"cycles", cyclesByKind(data)},
          {"steps", std::move(steps)},
          {"stepKinds", std::move(stepKinds)},
          {"ipus", std::move(ipus)},
          {"runs", runFigures(data)},
          {"costs", costFigures(data, costsOf(data))},
          {"vertexTypes", vertexFigures(data)},
          {"waits", waitFigures(data)}};
}

} // namespace copse::report
