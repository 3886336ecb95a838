#include "profile/execution_account.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace copse::profile {

StepAccounts::Fixed StepAccounts::ofCost(const ComputeCost &cost) const {
  Fixed fixed;
  for (const TileCycles &tiles : cost.tiles) {
    fixed.account.activeTiles += tiles.count;
    fixed.account.tileCycles += tiles.count * tiles.cycles;
    fixed.account.maxTileCycles = std::max(fixed.account.maxTileCycles, tiles.cycles);
    fixed.account.threadCycles += tiles.count * tiles.threadCycles;
  }
  return fixed;
}

StepAccounts::Fixed StepAccounts::ofTraffic(const std::vector<TileTraffic> &traffic) const {
  Fixed fixed;
  fixed.tilesOfIpu.assign(report_.target.ipus, 0);
  for (const TileTraffic &tiles : traffic) {
    fixed.account.activeTiles += tiles.count;
    fixed.account.bytes += tiles.count * tiles.bytes;
    fixed.account.maxBytes = std::max(fixed.account.maxBytes, tiles.bytes);
    fixed.account.tileCycles += tiles.count * tiles.cycles;
    fixed.account.maxTileCycles = std::max(fixed.account.maxTileCycles, tiles.cycles);
    for (std::uint32_t i = 0; tiles.cycles == 0 && i < tiles.count;) {
      const std::uint32_t ipu = (tiles.first + i) / report_.target.tilesPerIpu;
      const std::uint32_t end = (ipu + 1) * report_.target.tilesPerIpu - tiles.first;
      const std::uint32_t count = std::min(end, tiles.count) - i;
      fixed.tilesOfIpu[ipu] += count;
      i += count;
    }
  }
  return fixed;
}

const StepAccounts::Fixed &StepAccounts::fixedOf(const StepReport &step) {
  const bool isCompute = step.cost != StepReport::kNoCost;
  const auto [found, isNew] =
      isCompute ? byCost_.try_emplace(step.cost) : byProgram_.try_emplace(step.program);
  if (isNew)
    found->second = isCompute ? ofCost(report_.costs[step.cost])
                              : ofTraffic(report_.programs[step.program].traffic);
  return found->second;
}

StepAccount StepAccounts::of(const RunRecord &run, std::uint32_t step) {
  const Fixed &fixed = fixedOf(report_.steps[step]);
  StepAccount account = fixed.account;
  account.span = spanOf(report_, run, step);
  if (step > run.firstStep) {
    const std::uint64_t before = spanOf(report_, run, step - 1).to;
    account.overlapped = std::min(before, account.span.to) -
                         std::min(account.span.from, std::min(before, account.span.to));
  }
  for (std::uint32_t ipu = 0; ipu < fixed.tilesOfIpu.size(); ++ipu) {
    if (fixed.tilesOfIpu[ipu] == 0)
      continue;
    const std::uint64_t cycles = report_.endOf(step, ipu) - report_.startOf(run, step, ipu);
    account.tileCycles += fixed.tilesOfIpu[ipu] * cycles;
    account.maxTileCycles = std::max(account.maxTileCycles, cycles);
  }
  return account;
}

namespace {

std::uint64_t recordedCyclesOf(const ReportData &report, const RunRecord &run) {
  std::uint64_t last = run.from;
  if (run.steps > 0)
    for (std::uint32_t ipu = 0; ipu < report.target.ipus; ++ipu)
      last = std::max(last, report.endOf(run.firstStep + run.steps - 1, ipu));
  return last - run.from;
}

std::vector<VertexCycles> cyclesByType(const ReportData &report) {
  std::vector<std::uint64_t> executions(report.costs.size(), 0);
  for (const StepReport &step : report.steps)
    if (step.cost != StepReport::kNoCost)
      ++executions[step.cost];
  std::vector<VertexCycles> types(report.vertexTypes.size());
  for (std::size_t cost = 0; cost < report.costs.size(); ++cost)
    for (const VertexCycles &of : report.costs[cost].types) {
      VertexCycles &sum = types[of.type];
      sum.type = of.type;
      sum.instances += executions[cost] * of.instances;
      sum.cycles += executions[cost] * of.cycles;
      sum.threadCycles += executions[cost] * of.threadCycles;
    }
  std::erase_if(types, [](const VertexCycles &of) { return of.instances == 0; });
  std::ranges::stable_sort(types, std::greater(), &VertexCycles::cycles);
  return types;
}

} // namespace

ExecutionAccount accountOfExecution(const ReportData &report) {
  ExecutionAccount account;
  account.tiles = report.tiles.size();
  account.types = cyclesByType(report);
  StepAccounts accounts(report);
  for (const RunRecord &run : report.runs) {
    account.cycles += run.to - run.from;
    account.recordedCycles += recordedCyclesOf(report, run);
    for (std::uint32_t s = run.firstStep; s < run.firstStep + run.steps; ++s) {
      const StepAccount step = accounts.of(run, s);
      switch (report.steps[s].kind) {
      case StepKind::Compute:
        account.compute += step.tileCycles;
        account.threadCycles += step.threadCycles;
        break;
      case StepKind::InternalExchange:
        account.exchange += step.tileCycles;
        break;
      case StepKind::GlobalExchange:
        account.globalExchange += step.tileCycles;
        break;
      case StepKind::HostExchange:
        account.hostExchange += step.tileCycles;
        break;
      case StepKind::Sync:
        break;
      }
    }
  }
  return account;
}

std::vector<LinkReport> linkBytes(const ReportData &report) {
  std::vector<std::uint64_t> executions(report.linkLoads.size(), 0);
  for (const StepReport &step : report.steps)
    if (const std::uint32_t load = report.programs[step.program].links;
        load != ProgramReport::kNoLinks)
      ++executions[load];
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> bytes;
  for (std::size_t load = 0; load < executions.size(); ++load)
    if (executions[load] > 0)
      for (const LinkReport &link : report.linkLoads[load])
        bytes[{link.from, link.to}] += executions[load] * link.bytes;
  std::vector<LinkReport> links;
  for (const auto &[ends, carried] : bytes)
    links.push_back({ends.first, ends.second, carried});
  return links;
}

} // namespace copse::profile
