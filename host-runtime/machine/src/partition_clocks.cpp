#include "machine/partition_clocks.hpp"

#include "sync/groups.hpp"
#include "wire/step_bodies.hpp"
#include "wire/step_walk.hpp"
#include "wire/vertex_cycles.hpp"

#include <algorithm>
#include <utility>

namespace copse::machine {

using clock::StepKind;
using wire::Cycles;
using wire::Op;

namespace {

std::size_t indexOf(Cost cost) { return static_cast<std::size_t>(cost); }

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
    const std::optional<std::uint32_t> decided = clocks_.decided(at);
    if (!decided)
      clocks_.isExact_ = false;
    const wire::Step &step = clocks_.firstImage().steps[at];
    if (step.op != Op::While)
      return step.op == Op::If ? decided.value_or(1) : decided; // no case is likelier than another
    Loop &loop = loops_.back();
    loop.turns = decided.value_or(1);
    const bool goesOn = loop.turn < loop.turns;
    return (step.count != 0) == goesOn ? 1 : 0;
  }

  void beginLoop(std::uint32_t turns) { loops_.push_back({turns, 0, {}}); }
  void beginTurn(std::uint64_t turn) {
    Loop &loop = loops_.back();
    loop.turn = turn;
    // Later turns may be equal to this one. Only the predicate of a While tells how many there are.
    if (loop.turns == 0 || turn + 1 < loop.turns)
      loop.before = clocks_.state();
  }
  std::uint32_t endTurn(std::uint32_t /*left*/) {
    const Loop &loop = loops_.back();
    const std::uint64_t left = loop.turns - std::min(loop.turns, loop.turn + 1);
    if (left == 0 || !clocks_.moveOn(static_cast<std::uint32_t>(left), loop.before))
      return 0;
    return static_cast<std::uint32_t>(left);
  }
  void endLoop() { loops_.pop_back(); }

private:
  struct Loop {
    std::uint64_t turns; ///< 0: not yet known
    std::uint64_t turn;
    State before; ///< state before the turn
  };
  PartitionClocks &clocks_;
  std::vector<Loop> loops_; ///< the active loops, innermost last
};

clock::MachineModel withoutGatewayLinks(clock::MachineModel machine) {
  if (!machine.pod)
    return machine;
  constexpr double kNoLimit = 1e18; // [bytes/s]
  machine.pod->ipuToGatewayBytesPerSecond = machine.pod->gatewayToIpuBytesPerSecond = kNoLimit;
  machine.pod->gatewayLinkBytesPerSecond = kNoLimit;
  machine.pod->gatewayHopSeconds = machine.pod->gatewaySyncSeconds = 0;
  return machine;
}

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

CyclesByCost PartitionClocks::costsOfLatest() const {
  return spent_[static_cast<std::size_t>(std::ranges::max_element(now_) - now_.begin())];
}

clock::CyclesByKind PartitionClocks::cyclesOfLatest() const {
  const CyclesByCost costs = costsOfLatest();
  clock::CyclesByKind kinds{};
  const auto add = [&](StepKind kind, Cost cost) {
    kinds[static_cast<std::size_t>(kind)] += costs[indexOf(cost)];
  };
  add(StepKind::Compute, Cost::Compute);
  add(StepKind::InternalExchange, Cost::Exchange);
  add(StepKind::GlobalExchange, Cost::IpuLinks);
  add(StepKind::GlobalExchange, Cost::GatewayLinks);
  add(StepKind::HostExchange, Cost::Host);
  add(StepKind::HostExchange, Cost::RemoteBuffers);
  add(StepKind::Sync, Cost::Sync);
  return kinds;
}

std::optional<std::uint32_t> PartitionClocks::firstUndecided(std::uint32_t index) const {
  return firstUndecided(firstImage().programs[index]);
}

std::optional<std::uint32_t> PartitionClocks::firstUndecided(const wire::StepRange &range) const {
  const std::uint32_t end = range.first + range.count;
  for (std::uint32_t at = range.first; at < end; at = wire::stepAfter(firstImage().steps, at))
    if (const auto undecided = undecidedAt(at))
      return undecided;
  return std::nullopt;
}

/// Returns the first undecided step of step \p at and of its bodies that are taken.
std::optional<std::uint32_t> PartitionClocks::undecidedAt(std::uint32_t at) const {
  const wire::Image &image = firstImage();
  const wire::Step &step = image.steps[at];
  if (step.op == Op::Repeat)
    return step.count > 0 ? firstUndecided(wire::bodyOf(step, at)) : std::nullopt;
  if (step.op == Op::Call)
    return firstUndecided(image.calls[step.index]);
  if (step.op == Op::Abort && step.count == 0) // the program ends here, whatever the data are
    return at;
  if (step.op != Op::While && step.op != Op::If && step.op != Op::Switch)
    return std::nullopt;
  const auto value = decided(at);
  if (!value)
    return at;
  if (step.op == Op::Switch)
    return firstUndecided(wire::chosenBody(image.steps, at, *value));
  if (step.op == Op::If) {
    const auto [taken, otherwise] = wire::branchBodies(step, at);
    return firstUndecided(*value != 0 ? taken : otherwise);
  }
  const auto [condition, body] = wire::loopBodies(step, at);
  if (const auto undecided = firstUndecided(condition))
    return undecided;
  return *value > 0 ? firstUndecided(body) : std::nullopt;
}

void PartitionClocks::run(std::uint32_t index, Cycles start, HostRows &rows,
                          ClockObserver *observer) {
  rows_ = &rows;
  observer_ = observer;
  observed_ = 0;
  isExact_ = true;
  std::ranges::fill(now_, start);
  std::ranges::fill(spent_, CyclesByCost{});
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
  case Op::ReadClock:
    return readClock(step);
  default: // a step without modelled time (clock::kindOf)
    return;
  }
  if (!isObserved())
    return;
  ++observed_;
  observer_->stepEnded(at, now_);
}

/// Advances the clocks by \p turns more turns of a loop, if each takes what the turn since \p
/// before took: the waits of each later turn are equal if all IPUs that wait for each other have
/// advanced equally.
/// \returns false if the turns must be walked, because they differ, are observed, or call the host
///   program
bool PartitionClocks::moveOn(std::uint32_t turns, const State &before) {
  if (isObserved() && observed_ != before.observed)
    return false;
  if (rows_->calls() != before.calls || !movesWithPartners(before))
    return false;
  const auto by = [&](std::size_t ipu) { return Cycles{now_[ipu].value - before.now[ipu].value}; };
  for (std::size_t ipu = 0; ipu < now_.size(); ++ipu)
    if (!hosts_[ipu].isLaterBy(by(ipu), before.hosts[ipu]))
      return false;
  auto words = clockWords_.after(turns, before.clockWords, by);
  if (!words)
    return false;
  clockWords_ = std::move(*words);
  for (std::size_t ipu = 0; ipu < now_.size(); ++ipu) {
    const Cycles all{by(ipu).value * turns};
    now_[ipu] += all;
    hosts_[ipu].putOff(all, before.hosts[ipu]);
    for (std::size_t cost = 0; cost < kCosts; ++cost)
      spent_[ipu][cost].value += turns * (spent_[ipu][cost].value - before.spent[ipu][cost].value);
  }
  return true;
}

/// Returns true if, since \p before, the clocks of each sync group that met have advanced equally.
bool PartitionClocks::movesWithPartners(const State &before) {
  const auto by = [&](std::uint32_t ipu) { return now_[ipu].value - before.now[ipu].value; };
  for (const auto &[group, number] : syncs_) {
    const auto earlier = before.syncs.find(group);
    if (earlier != before.syncs.end() && earlier->second == number)
      continue;
    for (const SyncGroup &of : groupsOf(group))
      for (const std::uint32_t ipu : of.members)
        if (by(ipu) != by(of.members.front()))
          return false;
  }
  return true;
}

void PartitionClocks::spend(std::uint32_t ipu, Cost cost, Cycles cycles) {
  if (program_.free == cost && cost != Cost::Sync) // the wait for other IPUs remains
    return;
  now_[ipu] += cycles;
  spent_[ipu][indexOf(cost)] += cycles;
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
    spend(ipu, Cost::Compute, cost[ipu % ipusPerReplica()]);
}

const PartitionClocks::ExternalCost &
PartitionClocks::externalCost(std::span<const wire::Exchange> exchanges) {
  const auto [found, isNew] = external_.try_emplace(clock::trafficOf(exchanges));
  if (!isNew || found->first.empty())
    return found->second;
  const auto costOn = [&](const clock::TimingModel &timing) {
    return timing.externalExchanges(exchanges, program_.replicas, ipusPerReplica());
  };
  found->second.all = costOn(timing_);
  if (program_.gatewaysFree)
    found->second.links = costOn(*program_.gatewaysFree);
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
  const ExternalCost &external = externalCost(wire::exchangesOf(firstImage(), step));
  cost.external = external.all;
  cost.links = external.links;
  return cost;
}

void PartitionClocks::exchange(std::uint32_t at) {
  const ExchangeCost &cost = costOfExchange(at);
  for (std::uint32_t ipu = 0; ipu < now_.size(); ++ipu) {
    spend(ipu, Cost::Exchange, cost.internal[ipu % ipusPerReplica()]);
    if (cost.external.empty())
      continue;
    const Cycles links =
        cost.links.empty() ? cost.external[ipu] : std::min(cost.links[ipu], cost.external[ipu]);
    spend(ipu, Cost::IpuLinks, links);
    spend(ipu, Cost::GatewayLinks, {cost.external[ipu].value - links.value});
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
    if (program_.free != Cost::Sync)
      added.latency = timing_.syncLatency(members);
    for (const wire::IpuId member : members) {
      added.members.push_back(member.value);
      isIn[member.value] = true;
    }
  }
  return found->second;
}

void PartitionClocks::sync(wire::SyncGroup group) {
  ++syncs_[group];
  for (const SyncGroup &of : groupsOf(group)) {
    Cycles leave;
    for (const std::uint32_t ipu : of.members)
      leave = std::max(leave, now_[ipu]);
    leave += of.latency;
    for (const std::uint32_t ipu : of.members)
      spend(ipu, Cost::Sync, {leave.value - now_[ipu].value});
  }
}

void PartitionClocks::readClock(const wire::Step &step) {
  for (std::uint32_t ipu = step.index; ipu < now_.size(); ipu += ipusPerReplica())
    clockWords_.read(ipu, step, now_[ipu]);
}

void PartitionClocks::hostExchange(std::uint32_t index) {
  moments_ = now_;
  for (std::uint32_t ipu = 0; ipu < now_.size(); ++ipu)
    moments_[ipu] +=
        hosts_[ipu].latency(program_.images[ipu % ipusPerReplica()]->hostExchanges[index]);
  const std::size_t transfers = firstImage().hostExchanges[index].transfers.size();
  for (std::size_t number = 0; number < transfers; ++number)
    for (std::uint32_t replica = 0; replica < program_.replicas; ++replica)
      transferRow(index, number, replica);
  for (std::uint32_t ipu = 0; ipu < now_.size(); ++ipu)
    spend(ipu, Cost::Host, {moments_[ipu].value - now_[ipu].value});
}

/// Advances moments_ of the IPUs of a replica by their parts of one transfer.
void PartitionClocks::transferRow(std::uint32_t exchange, std::size_t number,
                                  std::uint32_t replica) {
  std::optional<bool> isReady; // nothing: no IPU has a part so far
  Cycles last;
  for (std::uint32_t at = 0; at < ipusPerReplica(); ++at) {
    const std::uint32_t ipu = replica * ipusPerReplica() + at;
    const wire::HostExchange &part = program_.images[at]->hostExchanges[exchange];
    const wire::StreamTransfer &transfer = part.transfers[number];
    const bool toDevice = transfer.direction == wire::Direction::ToDevice;
    const bool takesPart = wire::takesPart(transfer.view, at);
    if (takesPart && !isReady)
      isReady = toDevice && rows_->isReady(transfer.stream, replica, moments_[ipu]);
    const bool isAhead = toDevice && (!takesPart || *isReady);
    const Cycles end = hosts_[ipu].end(part, transfer, isAhead, moments_[ipu]);
    if (isObserved())
      observer_->waitedFor(ipu, number, {end.value - moments_[ipu].value});
    moments_[ipu] = end;
    last = std::max(last, takesPart ? end : Cycles{});
  }
  if (isReady)
    rows_->transferred(exchange, number, replica, last);
}

void PartitionClocks::remoteCopy(std::uint32_t index) {
  for (std::uint32_t ipu = 0; ipu < now_.size(); ++ipu) {
    const wire::RemoteCopy &part = program_.images[ipu % ipusPerReplica()]->remoteCopies[index];
    spend(ipu, Cost::RemoteBuffers,
          timing_.remoteCopy(timing_.hostLoad(part.view.bytes, part.replicaBytes, placeOf(ipu))));
  }
}

} // namespace copse::machine
