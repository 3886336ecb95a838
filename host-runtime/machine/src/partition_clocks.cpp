#include "machine/partition_clocks.hpp"

#include "sync/groups.hpp"
#include "wire/step_bodies.hpp"
#include "wire/vertex_cycles.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace copse::machine {

using clock::StepKind;
using wire::Cycles;
using wire::Op;

namespace {

bool dependsOnData(const wire::Step &step) {
  switch (step.op) {
  case Op::While:
  case Op::If:
  case Op::Switch:
    return true;
  case Op::Abort:
    return step.count == 0; // the program ends here, whatever data are
  case Op::ComputeSet:
  case Op::Exchange:
  case Op::Sync:
  case Op::HostExchange:
  case Op::RemoteCopy:
  case Op::Repeat:
  case Op::Call:
  case Op::Case:
  case Op::Print:
  case Op::ReadClock:
  case Op::AllTrue:
    return false;
  }
  return true; // an operation that this build does not know
}

} // namespace

PartitionClocks::PartitionClocks(clock::TimingModel timing, ClockedProgram program)
    : timing_(std::move(timing)), program_(std::move(program)) {
  const std::uint32_t ipus = program_.replicas * ipusPerReplica();
  now_.resize(ipus);
  spent_.resize(ipus);
  for (std::uint32_t ipu = 0; ipu < ipus; ++ipu)
    hosts_.emplace_back(timing_, ipu % ipusPerReplica(), program_.replicas);
}

void PartitionClocks::setMeasured(MeasuredCycles measured) {
  if (measured == measured_)
    return;
  measured_ = std::move(measured);
  computeSets_.clear();
}

Cycles PartitionClocks::latest() const { return *std::ranges::max_element(now_); }

clock::CyclesByKind PartitionClocks::cyclesOfLatest() const {
  return spent_[static_cast<std::size_t>(std::ranges::max_element(now_) - now_.begin())];
}

std::optional<std::uint32_t> PartitionClocks::firstBranch(std::uint32_t index) const {
  std::optional<std::uint32_t> first;
  wire::visitReachable(firstImage(), {&firstImage().programs[index], 1}, [&](std::uint32_t at) {
    if (!first && dependsOnData(firstImage().steps[at]))
      first = at;
  });
  return first;
}

void PartitionClocks::run(std::uint32_t index, Cycles start, IsPrefetched isPrefetched) {
  assert(!firstBranch(index));
  isPrefetched_ = std::move(isPrefetched);
  std::ranges::fill(now_, start);
  std::ranges::fill(spent_, clock::CyclesByKind{});
  walk(firstImage().programs[index]);
}

void PartitionClocks::walk(wire::StepRange range) {
  const std::uint32_t end = range.first + range.count;
  for (std::uint32_t at = range.first; at < end; at = wire::stepAfter(firstImage().steps, at))
    walkStep(at);
}

void PartitionClocks::walkStep(std::uint32_t at) {
  const wire::Step &step = firstImage().steps[at];
  switch (step.op) {
  case Op::ComputeSet:
    return computeSet(step.index);
  case Op::Exchange:
    return exchange(at);
  case Op::Sync:
    return sync(static_cast<wire::SyncGroup>(step.index));
  case Op::HostExchange:
    return hostExchange(step.index);
  case Op::RemoteCopy:
    return remoteCopy(step.index);
  case Op::Repeat:
    return repeat(at);
  case Op::Call:
    return walk(firstImage().calls[step.index]);
  case Op::While: // firstBranch() has found these
  case Op::If:
  case Op::Switch:
  case Op::Case:
  case Op::Print:
  case Op::Abort:
  case Op::ReadClock:
  case Op::AllTrue:
    return;
  }
}

void PartitionClocks::repeat(std::uint32_t at) {
  const wire::Step &step = firstImage().steps[at];
  for (std::uint32_t turn = 0; turn < step.count; ++turn) {
    const bool isLast = turn + 1 == step.count;
    const State before = isLast ? State{} : State{now_, hosts_, spent_};
    walk(wire::bodyOf(step, at));
    if (!isLast && skip(step.count - turn - 1, before))
      return;
  }
}

/// Moves on by \p turns more of a loop, if each takes what the one since \p before took: all clocks
/// are later by the same, so that nobody waits longer or shorter for others.
bool PartitionClocks::skip(std::uint32_t turns, const State &before) {
  const Cycles by{now_.front().value - before.now.front().value};
  for (std::size_t ipu = 0; ipu < now_.size(); ++ipu)
    if (now_[ipu] != before.now[ipu] + by || !hosts_[ipu].isLaterBy(by, before.hosts[ipu]))
      return false;
  const Cycles all{by.value * turns};
  for (std::size_t ipu = 0; ipu < now_.size(); ++ipu) {
    now_[ipu] += all;
    hosts_[ipu].putOff(all, before.hosts[ipu]);
    for (std::size_t kind = 0; kind < clock::kStepKinds; ++kind)
      spent_[ipu][kind].value += turns * (spent_[ipu][kind].value - before.spent[ipu][kind].value);
  }
  return true;
}

void PartitionClocks::spend(std::uint32_t ipu, StepKind kind, Cycles cycles) {
  now_[ipu] += cycles;
  spent_[ipu][static_cast<std::size_t>(kind)] += cycles;
}

const std::vector<Cycles> &PartitionClocks::costOfComputeSet(std::uint32_t index) {
  const auto [found, isNew] = computeSets_.try_emplace(index);
  if (!isNew)
    return found->second;
  for (std::uint32_t ipu = 0; ipu < ipusPerReplica(); ++ipu) {
    const wire::Image &image = *program_.images[ipu];
    const wire::ComputeSet &set = image.computeSets[index];
    const bool isMeasured = ipu < measured_.size() && measured_[ipu].contains(index);
    found->second.push_back(isMeasured
                                ? timing_.computeSet(set, image.functions, measured_[ipu].at(index))
                                : timing_.computeSet(set, image.functions));
  }
  return found->second;
}

void PartitionClocks::computeSet(std::uint32_t index) {
  const std::vector<Cycles> &cost = costOfComputeSet(index);
  for (std::uint32_t ipu = 0; ipu < now_.size(); ++ipu)
    spend(ipu, StepKind::Compute, cost[ipu % ipusPerReplica()]);
}

const std::vector<Cycles> &
PartitionClocks::externalCost(std::span<const wire::Exchange> exchanges) {
  const auto [found, isNew] = external_.try_emplace(clock::trafficOf(exchanges));
  if (isNew && !found->first.empty())
    found->second = timing_.externalExchanges(exchanges, program_.replicas, ipusPerReplica());
  return found->second;
}

const PartitionClocks::ExchangeCost &PartitionClocks::costOfExchange(std::uint32_t at) {
  const auto [found, isNew] = exchanges_.try_emplace(at);
  ExchangeCost &cost = found->second;
  if (!isNew)
    return cost;
  const wire::Step &step = firstImage().steps[at];
  for (const wire::Image *image : program_.images) {
    Cycles internal;
    for (const wire::Exchange &exchange : wire::exchangesOf(*image, step))
      internal += timing_.internalExchange(exchange);
    cost.internal.push_back(internal);
  }
  cost.external = externalCost(wire::exchangesOf(firstImage(), step));
  return cost;
}

void PartitionClocks::exchange(std::uint32_t at) {
  const ExchangeCost &cost = costOfExchange(at);
  for (std::uint32_t ipu = 0; ipu < now_.size(); ++ipu) {
    spend(ipu, StepKind::InternalExchange, cost.internal[ipu % ipusPerReplica()]);
    if (!cost.external.empty())
      spend(ipu, StepKind::GlobalExchange, cost.external[ipu]);
  }
}

const std::vector<PartitionClocks::SyncGroup> &PartitionClocks::groupsOf(wire::SyncGroup group) {
  const auto [found, isNew] = groups_.try_emplace(group);
  if (!isNew)
    return found->second;
  std::vector<bool> isIn(now_.size(), false);
  for (std::uint32_t ipu = 0; ipu < now_.size(); ++ipu) {
    if (isIn[ipu])
      continue;
    const auto members = sync::membersOf(group, program_.syncConfiguration,
                                         {program_.replicas, ipusPerReplica()}, {ipu});
    SyncGroup &added = found->second.emplace_back();
    added.latency = timing_.syncLatency(members);
    for (const wire::IpuId member : members) {
      added.members.push_back(member.value);
      isIn[member.value] = true;
    }
  }
  return found->second;
}

void PartitionClocks::sync(wire::SyncGroup group) {
  for (const SyncGroup &of : groupsOf(group)) {
    Cycles leave;
    for (const std::uint32_t ipu : of.members)
      leave = std::max(leave, now_[ipu]);
    leave += of.latency;
    for (const std::uint32_t ipu : of.members)
      spend(ipu, StepKind::Sync, {leave.value - now_[ipu].value});
  }
}

void PartitionClocks::hostExchange(std::uint32_t index) {
  for (std::uint32_t ipu = 0; ipu < now_.size(); ++ipu) {
    const std::uint32_t number = ipu % ipusPerReplica();
    const wire::HostExchange &part = program_.images[number]->hostExchanges[index];
    Cycles now = now_[ipu] + hosts_[ipu].latency(part);
    for (const wire::StreamTransfer &transfer : part.transfers) {
      const bool toDevice = transfer.direction == wire::Direction::ToDevice;
      const bool isAhead = toDevice && (!wire::takesPart(transfer.view, number) ||
                                        isPrefetched_(transfer.stream, ipu / ipusPerReplica()));
      now = hosts_[ipu].end(part, transfer, isAhead, now);
    }
    spend(ipu, StepKind::HostExchange, {now.value - now_[ipu].value});
  }
}

void PartitionClocks::remoteCopy(std::uint32_t index) {
  for (std::uint32_t ipu = 0; ipu < now_.size(); ++ipu) {
    const wire::RemoteCopy &part = program_.images[ipu % ipusPerReplica()]->remoteCopies[index];
    spend(ipu, StepKind::HostExchange, timing_.remoteCopy(part.view.bytes));
  }
}

} // namespace copse::machine
