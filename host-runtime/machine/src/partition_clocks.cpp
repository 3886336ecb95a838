#include "machine/partition_clocks.hpp"

#include "sync/groups.hpp"
#include "wire/step_walk.hpp"
#include "wire/vertex_cycles.hpp"

#include <algorithm>
#include <utility>

namespace copse::machine {

using clock::StepKind;
using wire::Cycles;
using wire::Op;

namespace {

bool dependsOnData(const wire::Step &step) {
  return step.op == Op::While || step.op == Op::If || step.op == Op::Switch ||
         // The program ends here, whatever the data are.
         (step.op == Op::Abort && step.count == 0);
}

} // namespace

/// Decides how the clocks treat branches and loops: see PartitionClocks.
class PartitionClocks::Walk : public wire::StepVisitor {
public:
  explicit Walk(PartitionClocks &clocks) : clocks_(clocks) {}

  /// A run that is not exact is walked only for its observer.
  bool isDone() const { return !clocks_.isExact_ && !clocks_.isObserved(); }

  void beginRange() {
    if (clocks_.observer_ != nullptr)
      clocks_.observer_->rangeBegan();
  }
  void enter(std::uint32_t at) {
    if (clocks_.observer_ != nullptr)
      clocks_.observer_->stepBegan(at);
  }
  void endRange(std::uint32_t end) {
    if (clocks_.observer_ != nullptr)
      clocks_.observer_->rangeEnded(end);
  }

  std::uint32_t work(std::uint32_t at, std::uint32_t /*end*/) {
    clocks_.work(at);
    return 1;
  }

  std::optional<std::uint32_t> predicate(std::uint32_t at) {
    clocks_.isExact_ = false;
    const wire::Step &step = clocks_.firstImage().steps[at];
    if (step.op == Op::Switch) // no case is more likely than another
      return std::nullopt;
    const bool goesOn = step.op == Op::If || loops_.back().turn == 0;
    return step.op == Op::While && step.count == 0 ? !goesOn : goesOn;
  }

  void beginLoop(std::uint32_t turns) { loops_.push_back({turns, 0, {}}); }
  void beginTurn(std::uint64_t turn) {
    Loop &loop = loops_.back();
    loop.turn = turn;
    // Later turns may be equal to this one.
    if (turn + 1 < loop.turns)
      loop.before = clocks_.state();
  }
  std::uint32_t endTurn(std::uint32_t left) {
    return left > 0 && clocks_.moveOn(left, loops_.back().before) ? left : 0;
  }
  void endLoop() { loops_.pop_back(); }

private:
  struct Loop {
    std::uint64_t turns, turn;
    State before; ///< state before the turn
  };
  PartitionClocks &clocks_;
  std::vector<Loop> loops_; ///< the active loops, innermost last
};

PartitionClocks::PartitionClocks(clock::TimingModel timing, ClockedProgram program)
    : timing_(std::move(timing)), program_(std::move(program)) {
  const std::uint32_t ipus = program_.replicas * ipusPerReplica();
  now_.resize(ipus);
  spent_.resize(ipus);
  for (std::uint32_t ipu = 0; ipu < ipus; ++ipu)
    hosts_.emplace_back(timing_, placeOf(ipu));
}

void PartitionClocks::setMeasured(std::vector<wire::MeasuredCycles> measured) {
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

void PartitionClocks::run(std::uint32_t index, Cycles start, IsPrefetched isPrefetched,
                          ClockObserver *observer) {
  isPrefetched_ = std::move(isPrefetched);
  observer_ = observer;
  observed_ = 0;
  isExact_ = true;
  std::ranges::fill(now_, start);
  std::ranges::fill(spent_, clock::CyclesByKind{});
  Walk walk(*this);
  wire::StepWalk(firstImage(), walk).run(firstImage().programs[index]);
  observer_ = nullptr;
}

void PartitionClocks::work(std::uint32_t at) {
  const wire::Step &step = firstImage().steps[at];
  switch (step.op) {
  case Op::ComputeSet:
    computeSet(step.index);
    break;
  case Op::Exchange:
    exchange(at);
    break;
  case Op::Sync:
    sync(static_cast<wire::SyncGroup>(step.index));
    break;
  case Op::HostExchange:
    hostExchange(step.index);
    break;
  case Op::RemoteCopy:
    remoteCopy(step.index);
    break;
  default: // a step without modelled time (clock::kindOf)
    return;
  }
  if (!isObserved())
    return;
  ++observed_;
  observer_->stepEnded(at, now_);
}

/// Advances the clocks by \p turns more turns of a loop, if each takes what the turn since \p
/// before took. In that turn all clocks advanced equally, so later turns have equal waits.
/// \returns false if the turns must be walked, because they differ or are observed
bool PartitionClocks::moveOn(std::uint32_t turns, const State &before) {
  if (isObserved() && observed_ != before.observed)
    return false;
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
    found->second.push_back(
        timing_.computeSet(image.computeSets[index], image.functions, vertexCycles(ipu, index)));
  }
  return found->second;
}

std::vector<std::uint64_t> PartitionClocks::vertexCycles(std::uint32_t ipu,
                                                         std::uint32_t computeSet) const {
  if (ipu < measured_.size())
    if (const auto found = measured_[ipu].find(computeSet); found != measured_[ipu].end())
      return found->second;
  std::vector<std::uint64_t> cycles;
  for (const wire::VertexRecord &vertex : program_.images[ipu]->computeSets[computeSet].vertices)
    cycles.push_back(wire::expectedCycles(vertex.cycles));
  return cycles;
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
    for (std::size_t i = 0; i < part.transfers.size(); ++i) {
      const wire::StreamTransfer &transfer = part.transfers[i];
      const bool toDevice = transfer.direction == wire::Direction::ToDevice;
      const bool isAhead = toDevice && (!wire::takesPart(transfer.view, number) ||
                                        isPrefetched_(transfer.stream, ipu / ipusPerReplica()));
      const Cycles end = hosts_[ipu].end(part, transfer, isAhead, now);
      if (isObserved())
        observer_->waitedFor(ipu, i, {end.value - now.value});
      now = end;
    }
    spend(ipu, StepKind::HostExchange, {now.value - now_[ipu].value});
  }
}

void PartitionClocks::remoteCopy(std::uint32_t index) {
  for (std::uint32_t ipu = 0; ipu < now_.size(); ++ipu) {
    const wire::RemoteCopy &part = program_.images[ipu % ipusPerReplica()]->remoteCopies[index];
    spend(ipu, StepKind::HostExchange,
          timing_.remoteCopy(timing_.hostLoad(part.view.bytes, part.replicaBytes, placeOf(ipu))));
  }
}

} // namespace copse::machine
