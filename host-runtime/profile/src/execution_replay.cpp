#include "execution_replay.hpp"

#include "graph_report.hpp"
#include "tile_intervals.hpp"

#include "machine/machine_models.hpp"
#include "machine/sync_scheme.hpp"
#include "types/target_description.hpp"
#include "wire/step_bodies.hpp"
#include "wire/vertex_cycles.hpp"

#include <algorithm>

namespace copse::profile {

using wire::Op;

namespace {

/// More steps than this make no report that anybody reads.
constexpr std::uint32_t kMostSteps = 100'000;

} // namespace

ExecutionReplay::ExecutionReplay(const poplar::Executable::Impl &executable)
    : program_(executable.program),
      timing_(machine::timingModelOf(types::describe(executable.target), program_.replicas)),
      syncConfiguration_(machine::syncConfigurationOf(executable.target)),
      reported_(reportedNumbers(program_.images.front())) {
  for (std::uint32_t ipu = 0; ipu < ipus(); ++ipu)
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
  clocks_.assign(ipus(), run.from);
  hostUses_.clear();
  walk(program_.images.front().programs[run.program]);
  run.firstStep = firstStep_;
  run.steps = static_cast<std::uint32_t>(report.steps.size()) - firstStep_;
  run.complete = complete_;
  run.hostUses = std::move(hostUses_);
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
    return repeat(at);
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

void ExecutionReplay::repeat(std::uint32_t at) {
  const wire::Step &step = steps()[at];
  for (std::uint32_t i = 0; i < step.count && !full(); ++i) {
    const std::size_t before = report_->steps.size();
    walk(wire::bodyOf(step, at));
    if (report_->steps.size() == before)
      return; // a body in which nothing is recorded
  }
  complete_ = complete_ && !full();
}

void ExecutionReplay::advance(StepReport step, const std::vector<std::uint64_t> &cycles) {
  for (std::size_t ipu = 0; ipu < clocks_.size(); ++ipu) {
    clocks_[ipu] += cycles[ipu];
    report_->ends.push_back(clocks_[ipu]);
  }
  report_->steps.push_back(step);
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
  cost.number = static_cast<std::uint32_t>(report_->costs.size());
  ComputeCost &report = report_->costs.emplace_back();
  report.computeSet = reported_[computeSet].value_or(0);
  std::map<std::uint32_t, VertexCycles> types;
  for (std::uint32_t ipu = 0; ipu < ipus(); ++ipu) {
    const wire::Image &image = program_.images[ipu];
    const wire::ComputeSet &set = image.computeSets[computeSet];
    const std::vector<std::uint64_t> cycles = vertexCycles(ipu, computeSet);
    std::uint64_t longest = 0;
    for (const clock::TileCompute &tile : timing_.computeSetTiles(set, image.functions, cycles)) {
      longest = std::max(longest, tile.cycles);
      appendTile(report.tiles,
                 {ipu * image.geometry.tiles + tile.tile, 1, tile.cycles, tile.threadCycles});
    }
    cost.byIpu.push_back(longest);
    for (std::size_t i = 0; i < set.vertices.size(); ++i) {
      const std::uint32_t type = set.vertices[i].function;
      VertexCycles &of = types[type];
      of.type = type;
      ++of.instances;
      of.cycles += cycles[i];
      of.threadCycles +=
          cycles[i] *
          (wire::occupiesAllWorkers(image.functions[type]) ? timing_.machine().workers : 1);
    }
  }
  for (const auto &[type, of] : types)
    report.types.push_back(of);
  return cost;
}

void ExecutionReplay::computeSet(std::uint32_t at) {
  const ComputeSetCost &cost = costOf(steps()[at].index);
  advance({at, cost.number, StepKind::Compute}, cost.byIpu);
}

const std::vector<std::uint64_t> &ExecutionReplay::exchangeCycles(std::uint32_t at) {
  const auto [found, isNew] = exchanges_.try_emplace(at);
  if (!isNew)
    return found->second;
  for (std::uint32_t ipu = 0; ipu < ipus(); ++ipu) {
    const auto parts = wire::exchangesOf(program_.images[ipu], steps()[at]);
    wire::Cycles duration = timing_.externalExchange(parts, ipu, 0, program_.replicas, ipus());
    for (const wire::Exchange &part : parts)
      duration += timing_.internalExchange(part);
    found->second.push_back(duration.value);
  }
  return found->second;
}

void ExecutionReplay::exchange(std::uint32_t at) {
  const bool isGlobal = report_->programs[at].type == pva::Program::Type::GlobalExchange;
  advance(
      {at, StepReport::kNoCost, isGlobal ? StepKind::GlobalExchange : StepKind::InternalExchange},
      exchangeCycles(at));
}

/// All replicas do the same at the same time, so each IPU's clock is also that of its like.
void ExecutionReplay::sync(std::uint32_t at) {
  const std::uint32_t group = steps()[at].index;
  const auto [found, isNew] = groups_.try_emplace(group);
  for (std::uint32_t ipu = 0; isNew && ipu < ipus(); ++ipu) {
    const auto members =
        copse::sync::membersOf(static_cast<wire::SyncGroup>(group), syncConfiguration_,
                               {program_.replicas, ipus()}, {ipu});
    SyncGroup &of = found->second.emplace_back();
    of.latency = timing_.syncLatency(members).value;
    for (const wire::IpuId member : members)
      of.members.push_back(member.value % ipus());
    std::ranges::sort(of.members);
    of.members.erase(std::ranges::unique(of.members).begin(), of.members.end());
  }
  std::vector<std::uint64_t> cycles;
  for (std::uint32_t ipu = 0; ipu < ipus(); ++ipu) {
    std::uint64_t latest = 0;
    for (const std::uint32_t member : found->second[ipu].members)
      latest = std::max(latest, clocks_[member]);
    cycles.push_back(latest + found->second[ipu].latency - clocks_[ipu]);
  }
  advance({at, StepReport::kNoCost, StepKind::Sync}, cycles);
}

HostUse &ExecutionReplay::useOf(bool isRemoteBuffer, std::uint32_t index) {
  const auto found = std::ranges::find_if(hostUses_, [&](const HostUse &use) {
    return use.isRemoteBuffer == isRemoteBuffer && use.index == index;
  });
  if (found != hostUses_.end())
    return *found;
  return hostUses_.emplace_back(HostUse{isRemoteBuffer, index, 0, 0, 0});
}

std::vector<std::uint64_t> ExecutionReplay::hostExchangeCycles(std::uint32_t index) {
  std::vector<std::uint64_t> cycles;
  std::vector<std::uint64_t> waited(program_.images.front().hostExchanges[index].transfers.size());
  for (std::uint32_t ipu = 0; ipu < ipus(); ++ipu) {
    const wire::HostExchange &exchange = program_.images[ipu].hostExchanges[index];
    copse::clock::HostClock &clock = hostClocks_[ipu];
    const wire::Cycles start{clocks_[ipu]};
    wire::Cycles now = start + clock.latency(exchange);
    for (std::size_t i = 0; i < exchange.transfers.size(); ++i) {
      const wire::StreamTransfer &transfer = exchange.transfers[i];
      const bool isAhead =
          transfer.direction == wire::Direction::ToDevice &&
          (observed_->prefetched.at(transfer.stream) || !wire::takesPart(transfer.view, ipu));
      const wire::Cycles end = clock.end(exchange, transfer, isAhead, now);
      waited[i] = std::max(waited[i], end.value - now.value);
      now = end;
    }
    cycles.push_back(now.value - start.value);
  }
  for (std::size_t i = 0; i < waited.size(); ++i)
    useOf(false, program_.images.front().hostExchanges[index].transfers[i].stream).cycles +=
        waited[i];
  return cycles;
}

void ExecutionReplay::hostExchange(std::uint32_t at) {
  const std::vector<std::uint64_t> cycles = hostExchangeCycles(steps()[at].index);
  for (const HostTransfer &transfer : report_->programs[at].transfers) {
    HostUse &use = useOf(false, transfer.index);
    ++use.copies;
    use.bytes += transfer.bytes;
  }
  advance({at, StepReport::kNoCost, StepKind::HostExchange}, cycles);
}

void ExecutionReplay::remoteCopy(std::uint32_t at) {
  const std::uint32_t index = steps()[at].index;
  std::vector<std::uint64_t> cycles;
  for (std::uint32_t ipu = 0; ipu < ipus(); ++ipu)
    cycles.push_back(timing_.remoteCopy(program_.images[ipu].remoteCopies[index].view.bytes).value);
  HostUse &use = useOf(true, program_.images.front().remoteCopies[index].buffer);
  ++use.copies;
  use.bytes += program_.images.front().remoteCopies[index].replicaBytes;
  use.cycles += std::ranges::max(cycles);
  advance({at, StepReport::kNoCost, StepKind::HostExchange}, cycles);
}

} // namespace copse::profile
