#include "execution_replay.hpp"

#include "graph_report.hpp"

#include "machine/machine_models.hpp"
#include "machine/sync_scheme.hpp"
#include "types/target_description.hpp"
#include "wire/step_bodies.hpp"
#include "wire/vertex_cycles.hpp"

#include <algorithm>
#include <set>
#include <span>

namespace copse::profile {

using wire::Op;

namespace {

/// More steps than this make no report that anybody reads, and cost megabytes.
constexpr std::uint32_t kMostSteps = 2000;

std::vector<std::uint32_t> reportedNumbers(const wire::Image &image) {
  const std::vector<bool> reached = reachableComputeSets(image);
  std::vector<std::uint32_t> numbers(reached.size(), 0);
  std::uint32_t next = 0;
  for (std::size_t set = 0; set < reached.size(); ++set)
    if (reached[set])
      numbers[set] = next++;
  return numbers;
}

std::vector<wire::Region> regionsOf(const wire::Exchange &exchange) {
  std::vector<wire::Region> regions;
  for (const wire::Move &move : exchange.moves)
    for (const std::uint32_t tile : {move.from.tile, move.to.tile})
      regions.push_back({tile, 0, move.bytes, 1, 0});
  for (const auto *messages : {&exchange.sends, &exchange.receives})
    for (const wire::Message &message : *messages)
      regions.insert(regions.end(), message.regions.begin(), message.regions.end());
  return regions;
}

} // namespace

ExecutionReplay::ExecutionReplay(const poplar::Executable::Impl &executable)
    : program_(executable.program),
      timing_(machine::timingModelOf(types::describe(executable.target), program_.replicas)),
      syncConfiguration_(machine::syncConfigurationOf(executable.target)),
      reported_(reportedNumbers(program_.images.front())) {
  for (std::uint32_t ipu = 0; ipu < program_.images.size(); ++ipu)
    hostClocks_.emplace_back(timing_, ipu, program_.replicas);
}

void ExecutionReplay::add(RunRecord run, const RunObservations &observed, ReportData &report) {
  report_ = &report;
  if (observed_ != &observed)
    costs_.clear();
  observed_ = &observed;
  report.hasExecution = true;
  complete_ = true;
  firstStep_ = static_cast<std::uint32_t>(report.steps.size());
  clocks_.assign(program_.images.size(), run.from);
  walk(program_.images.front().programs[run.program]);
  run.firstStep = firstStep_;
  run.steps = static_cast<std::uint32_t>(report.steps.size()) - firstStep_;
  run.complete = complete_;
  report.runs.push_back(std::move(run));
  report_ = nullptr;
}

const std::vector<wire::Step> &ExecutionReplay::steps() const {
  return program_.images.front().steps;
}

bool ExecutionReplay::full() const { return report_->steps.size() >= firstStep_ + kMostSteps; }

void ExecutionReplay::walk(wire::StepRange range) {
  const std::uint32_t end = range.first + range.count;
  for (std::uint32_t at = range.first; at < end; at = wire::stepAfter(steps(), at)) {
    if (full()) {
      complete_ = false;
      return;
    }
    walkStep(at);
  }
}

void ExecutionReplay::walkStep(std::uint32_t at) {
  const wire::Step &step = steps()[at];
  switch (step.op) {
  case Op::ComputeSet:
    return computeSet(at);
  case Op::Exchange:
    return exchange(at);
  case Op::Sync:
    return sync(at);
  case Op::HostExchange:
    return hostExchange(at);
  case Op::RemoteCopy:
    return remoteCopy(at);
  case Op::Repeat:
    for (std::uint32_t i = 0; i < step.count && complete_; ++i) {
      const std::size_t before = report_->steps.size();
      walk(wire::bodyOf(step, at));
      if (report_->steps.size() == before)
        break; // a body in which nothing is listed
    }
    return;
  case Op::While:
    complete_ = false;
    return wire::visitBodies(steps(), at, [this](const wire::StepRange &body) { walk(body); });
  case Op::If:
    complete_ = false;
    return walk(wire::branchBodies(step, at).taken);
  case Op::Switch: // no way of it is more likely than another
    complete_ = false;
    return;
  case Op::Call:
    return walk(program_.images.front().calls[step.index]);
  case Op::Case:
  case Op::Print:
  case Op::Abort:
  case Op::ReadClock:
  case Op::AllTrue:
    return;
  }
}

StepReport &ExecutionReplay::advance(Entry entry, const std::vector<std::uint64_t> &cycles) {
  StepReport step;
  step.program = entry.step;
  step.kind = entry.kind;
  std::uint64_t most = 0;
  for (std::size_t ipu = 0; ipu < clocks_.size(); ++ipu) {
    if (ipu == 0 || cycles[ipu] > most) {
      most = cycles[ipu];
      step.from = clocks_[ipu];
      step.to = clocks_[ipu] + cycles[ipu];
    }
    clocks_[ipu] += cycles[ipu];
  }
  report_->steps.push_back(std::move(step));
  return report_->steps.back();
}

void ExecutionReplay::addBlocks(std::uint32_t step, std::uint32_t ipu,
                                const std::vector<wire::Region> &regions, std::uint64_t from,
                                std::uint64_t to) {
  std::set<std::uint32_t> tiles;
  for (const wire::Region &region : regions)
    tiles.insert(region.tile);
  for (const std::uint32_t tile : tiles)
    report_->blocks.push_back({ipu * program_.images[ipu].geometry.tiles + tile, step, from, to});
}

/// As they were measured, else as they are expected.
std::vector<std::uint64_t> ExecutionReplay::vertexCycles(std::uint32_t ipu,
                                                         std::uint32_t computeSet) const {
  const MeasuredCycles &measured = observed_->cycles;
  if (ipu < measured.size())
    if (const auto found = measured[ipu].find(computeSet); found != measured[ipu].end())
      return found->second;
  std::vector<std::uint64_t> cycles;
  for (const wire::VertexRecord &vertex : program_.images[ipu].computeSets[computeSet].vertices)
    cycles.push_back(wire::expectedCycles(vertex.cycles));
  return cycles;
}

const ExecutionReplay::ComputeSetCost &ExecutionReplay::costOf(std::uint32_t computeSet) {
  const auto [found, isNew] = costs_.try_emplace(computeSet);
  ComputeSetCost &cost = found->second;
  if (!isNew)
    return cost;
  for (std::uint32_t ipu = 0; ipu < program_.images.size(); ++ipu) {
    const wire::Image &image = program_.images[ipu];
    const wire::ComputeSet &set = image.computeSets[computeSet];
    const std::vector<std::uint64_t> cycles = vertexCycles(ipu, computeSet);
    cost.byIpu.push_back(timing_.computeSet(set, image.functions, cycles).value);
    const std::size_t firstTile = cost.byTile.size();
    cost.byTile.resize(firstTile + image.geometry.tiles, 0);
    for (const wire::TileVertices &tile : set.tiles) {
      wire::ComputeSet alone;
      alone.tiles = {{tile.tile, 0, tile.count}};
      alone.vertices.assign(set.vertices.begin() + tile.first,
                            set.vertices.begin() + tile.first + tile.count);
      cost.byTile[firstTile + tile.tile] =
          timing_
              .computeSet(alone, image.functions, std::span(cycles).subspan(tile.first, tile.count))
              .value;
    }
  }
  return cost;
}

void ExecutionReplay::computeSet(std::uint32_t at) {
  const std::uint32_t index = steps()[at].index;
  const ComputeSetCost &cost = costOf(index);
  const std::uint32_t tilesPerIpu = program_.images.front().geometry.tiles;
  for (std::uint32_t tile = 0; tile < cost.byTile.size(); ++tile)
    if (cost.byTile[tile] > 0) {
      const std::uint64_t from = clocks_[tile / tilesPerIpu];
      report_->blocks.push_back({tile, at, from, from + cost.byTile[tile]});
    }
  advance({at, StepKind::Compute}, cost.byIpu)
      .computeSets.push_back({reported_[index], cost.byTile, cost.byTile});
}

wire::Cycles ExecutionReplay::externalCycles(std::uint32_t at, std::uint32_t ipu) {
  const auto [found, isNew] = external_.try_emplace({at, ipu});
  if (isNew)
    found->second = timing_.externalExchange(wire::exchangesOf(program_.images[ipu], steps()[at]),
                                             ipu, 0, program_.replicas,
                                             static_cast<std::uint32_t>(program_.images.size()));
  return found->second;
}

void ExecutionReplay::exchange(std::uint32_t at) {
  const auto ipus = static_cast<std::uint32_t>(program_.images.size());
  std::vector<std::uint64_t> cycles;
  bool global = false;
  for (std::uint32_t ipu = 0; ipu < ipus; ++ipu) {
    const auto parts = wire::exchangesOf(program_.images[ipu], steps()[at]);
    wire::Cycles duration = externalCycles(at, ipu);
    std::vector<wire::Region> regions;
    for (const wire::Exchange &part : parts) {
      global = global || !part.flows.empty();
      duration += timing_.internalExchange(part);
      const auto more = regionsOf(part);
      regions.insert(regions.end(), more.begin(), more.end());
    }
    cycles.push_back(duration.value);
    addBlocks(at, ipu, regions, clocks_[ipu], clocks_[ipu] + duration.value);
  }
  advance({at, global ? StepKind::GlobalExchange : StepKind::InternalExchange}, cycles);
}

/// All replicas do the same at the same time, so each IPU's clock is also that of its like.
void ExecutionReplay::sync(std::uint32_t at) {
  const auto group = static_cast<wire::SyncGroup>(steps()[at].index);
  const auto ipus = static_cast<std::uint32_t>(clocks_.size());
  std::vector<std::uint64_t> cycles;
  for (std::uint32_t ipu = 0; ipu < ipus; ++ipu) {
    const auto members =
        copse::sync::membersOf(group, syncConfiguration_, {program_.replicas, ipus}, {ipu});
    std::uint64_t latest = 0;
    for (const wire::IpuId member : members)
      latest = std::max(latest, clocks_[member.value % ipus]);
    cycles.push_back(latest + timing_.syncLatency(members).value - clocks_[ipu]);
  }
  advance({at, StepKind::Sync}, cycles);
}

std::uint64_t ExecutionReplay::hostExchangeCycles(const wire::HostExchange &exchange,
                                                  std::uint32_t ipu) {
  copse::clock::HostClock &clock = hostClocks_[ipu];
  const wire::Cycles start{clocks_[ipu]};
  wire::Cycles now = start + clock.latency(exchange);
  for (const wire::StreamTransfer &transfer : exchange.transfers) {
    const bool isAhead =
        transfer.direction == wire::Direction::ToDevice &&
        (observed_->prefetched.at(transfer.stream) || !wire::takesPart(transfer.view, ipu));
    now = clock.end(exchange, transfer, isAhead, now);
  }
  return now.value - start.value;
}

void ExecutionReplay::hostExchange(std::uint32_t at) {
  const std::uint32_t index = steps()[at].index;
  std::vector<std::uint64_t> cycles;
  for (std::uint32_t ipu = 0; ipu < program_.images.size(); ++ipu) {
    const wire::HostExchange &part = program_.images[ipu].hostExchanges[index];
    cycles.push_back(hostExchangeCycles(part, ipu));
    std::vector<wire::Region> regions;
    for (const wire::StreamTransfer &transfer : part.transfers)
      regions.insert(regions.end(), transfer.view.regions.begin(), transfer.view.regions.end());
    addBlocks(at, ipu, regions, clocks_[ipu], clocks_[ipu] + cycles.back());
  }
  advance({at, StepKind::HostExchange}, cycles);
}

void ExecutionReplay::remoteCopy(std::uint32_t at) {
  const std::uint32_t index = steps()[at].index;
  std::vector<std::uint64_t> cycles;
  for (std::uint32_t ipu = 0; ipu < program_.images.size(); ++ipu) {
    const wire::RemoteCopy &part = program_.images[ipu].remoteCopies[index];
    cycles.push_back(timing_.remoteCopy(part.view.bytes).value);
    addBlocks(at, ipu, part.view.regions, clocks_[ipu], clocks_[ipu] + cycles.back());
  }
  advance({at, StepKind::HostExchange}, cycles);
}

} // namespace copse::profile
