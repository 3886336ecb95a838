#include "control/interpreter.hpp"

#include "control/parity_checks.hpp"
#include "control/vertex_fault.hpp"
#include "exchange/regions.hpp"

#include "ipud/step_names.hpp"
#include "wire/ipu_names.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace copse::ipud {
namespace {

/// The modelled cycles of a compute set above which waking other threads pays off.
constexpr std::uint64_t kWorthSharing = 200'000;
/// The number of tiles with tile instructions above which waking other threads pays off; the cycles
/// of such a compute set are not known in advance.
constexpr std::size_t kTilesWorthSharing = 64;

} // namespace

wire::Status Interpreter::run(const wire::StepRange &range) {
  wire::StepWalk(image_, *this).run(range);
  return std::move(status_);
}

void Interpreter::enter(std::uint32_t at) {
  status_ = located(at, checkStop());
  if (!status_.ok())
    return;
  ++steps_;
  parts_.progress.countStep(now_.value);
  takeNewErrors();
  // A While reads nothing before its condition has run.
  if (image_.steps[at].op != wire::Op::While)
    status_ = checkErrorsOf(at);
  if (parts_.observer != nullptr && status_.ok())
    parts_.observer->beginStep(at);
}

std::uint32_t Interpreter::work(std::uint32_t at, std::uint32_t end) {
  if (goesByTile(at, end)) {
    status_ = runByTile(at);
    return 2;
  }
  status_ = runStep(at);
  if (parts_.observer != nullptr && status_.ok())
    parts_.observer->endStep(at);
  return 1;
}

/// Returns the predicate of step \p at; if it is a While, its condition has just run.
std::optional<std::uint32_t> Interpreter::predicate(std::uint32_t at) {
  const wire::Step &step = image_.steps[at];
  if (step.op == wire::Op::While) {
    status_ = checkErrorsOf(at);
    if (status_.ok() && parts_.observer != nullptr)
      parts_.observer->readPredicate(at);
    if (status_.ok()) // needed because both bodies may be empty
      status_ = located(at, checkStop());
  }
  return predicateOf(step);
}

/// Reports the turns of the outermost loop as progress.
void Interpreter::beginLoop(std::uint32_t turns) {
  if (loops_++ == 0)
    parts_.progress.beginLoop(turns);
}

void Interpreter::beginTurn(std::uint64_t turn) {
  if (loops_ == 1)
    parts_.progress.put(parts_.progress.trip, turn);
}

/// Returns true if step \p at is an exchange that may overlap with the next compute set. Steps that
/// are observed individually do not overlap.
bool Interpreter::goesByTile(std::uint32_t at, std::uint32_t end) const {
  const wire::Step &step = image_.steps[at];
  if (step.op != wire::Op::Exchange || step.count != 0 || at + 1 == end)
    return false;
  const MovesByTile &byTile = parts_.loaded.movesByTile[step.index];
  const wire::Step &next = image_.steps[at + 1];
  if (byTile.begins.empty() || next.op != wire::Op::ComputeSet || next.index != byTile.computeSet)
    return false;
  return parts_.observer == nullptr && !parts_.memory.hasErrors();
}

/// Runs the exchange \p at and the following compute set, tile by tile.
wire::Status Interpreter::runByTile(std::uint32_t at) {
  const std::uint32_t exchange = image_.steps[at].index;
  now_ += parts_.loaded.exchangeCosts[at];
  ++steps_;
  parts_.progress.countStep(now_.value);
  Arrivals arrivals(parts_.memory, image_.exchanges[exchange], parts_.loaded.movesByTile[exchange]);
  return runComputeSet(image_.steps[at + 1].index, &arrivals);
}

wire::Status Interpreter::runStep(std::uint32_t at) {
  const auto &step = image_.steps[at];
  switch (step.op) {
  case wire::Op::ComputeSet:
    return runComputeSet(step.index);
  case wire::Op::Exchange:
    return located(at, runExchange(at));
  case wire::Op::Sync:
    return located(at, runSync(at));
  case wire::Op::HostExchange:
    return located(at, runHostExchange(step.index));
  case wire::Op::RemoteCopy:
    return located(at, runRemoteCopy(step.index));
  case wire::Op::Print:
    return located(at, runPrint(step.index));
  case wire::Op::Abort:
    return runAbort(at);
  case wire::Op::ReadClock:
    readClock(step);
    return wire::Status::success();
  case wire::Op::AllTrue:
    allTrue(step);
    return wire::Status::success();
  case wire::Op::Repeat: // StepWalk follows these
  case wire::Op::While:
  case wire::Op::If:
  case wire::Op::Switch:
  case wire::Op::Case:
  case wire::Op::Call:
    break;
  }
  return {wire::Code::Internal, "step " + std::to_string(at) + " cannot be run"};
}

void Interpreter::takeNewErrors() {
  if (parts_.errors == nullptr || parts_.errors->version() == errorsSeen_)
    return;
  errorsSeen_ = parts_.errors->version();
  parts_.memory.setErrors(parts_.errors->words());
}

wire::Status Interpreter::checkErrorsOf(std::uint32_t at) const {
  return checkErrors(parts_.memory, parts_.loaded, at);
}

wire::Status Interpreter::located(std::uint32_t at, wire::Status status) const {
  if (status.ok())
    return status;
  const std::string where = describeStep(image_, at);
  if (status.code == wire::Code::Cancelled) // the caller that stopped the run knows the reason
    return {wire::Code::Cancelled, "stopped at " + where};
  if (status.code == wire::Code::Timeout || status.code == wire::Code::Disconnected)
    status.message += "; at " + where;
  return status;
}

wire::Status Interpreter::checkStop() const {
  if (!parts_.environment.stopRequested())
    return wire::Status::success();
  return {wire::Code::Cancelled, "the program was stopped"};
}

std::uint32_t Interpreter::predicateOf(const wire::Step &step) const {
  if (step.predicateBytes == sizeof(std::uint32_t))
    return parts_.memory.readWord(step.predicate);
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, parts_.memory.at(step.predicate), step.predicateBytes);
  return step.predicateBytes == sizeof bytes ? bytes != 0 : static_cast<std::uint32_t>(bytes);
}

/// Returns a seed that differs for every IPU and every run of a compute set.
std::uint64_t Interpreter::orderSeed() const {
  if (parts_.workerSeed == 0)
    return 0;
  const std::uint64_t ipu = parts_.loaded.placement.self.value;
  return ((parts_.workerSeed ^ (now_.value + 1) * 0x9E3779B97F4A7C15) + ipu) | 1;
}

wire::Status Interpreter::runComputeSet(std::uint32_t index, Arrivals *arrivals) {
  const auto &set = image_.computeSets[index];
  const bool interpreted = parts_.loaded.interpreted[index];
  Vertices vertices{parts_.memory, parts_.loaded.functions, set, parts_.registers};
  vertices.now = now_;
  vertices.orderSeed = orderSeed();
  vertices.modules = parts_.modules;
  vertices.matrixUnits = parts_.matrixUnits;
  cycles_ = parts_.loaded.knownCycles[index];
  vertices.cycles = cycles_;
  if (interpreted)
    vertices.code = parts_.loaded.code.get();
  if (parts_.observer != nullptr)
    parts_.observer->beginComputeSet(index, vertices);
  vertices.arrivals = arrivals;
  const bool share =
      vertices.trace == nullptr && ((arrivals != nullptr && arrivals->isWorthSharing()) ||
                                    parts_.loaded.computeSetWork[index] >= kWorthSharing ||
                                    (interpreted && set.tiles.size() >= kTilesWorthSharing));
  const auto outcome = parts_.dispatcher.run(vertices, share);
  if (outcome.fault && arrivals != nullptr)
    arrivals->finish();
  if (outcome.fault)
    return describeFault(set, *outcome.fault);
  if (set.hasResult)
    *parts_.memory.at(set.result) = std::byte{outcome.all};
  if (parts_.observer != nullptr)
    parts_.observer->endComputeSet(index);
  vertices_ += set.vertices.size();
  noteTime(index);
  return wire::Status::success();
}

/// Advances the clock by the time of a compute set that has run. cycles_ has the cycles of its
/// vertices, unless they are known in advance.
void Interpreter::noteTime(std::uint32_t index) {
  if (cycles_.empty()) {
    now_ += parts_.loaded.computeSetCosts[index];
    return;
  }
  LastRun &last = (*parts_.loaded.lastRuns)[index];
  if (cycles_ != last.cycles) {
    last.cost = parts_.timing.computeSet(image_.computeSets[index], image_.functions, cycles_);
    last.cycles.swap(cycles_);
  }
  now_ += last.cost;
}

wire::Status Interpreter::describeFault(const wire::ComputeSet &set,
                                        const CodeletFault &fault) const {
  if (fault.kind == CodeletFault::Kind::Interrupted && !parts_.watchdog.timedOut())
    return {wire::Code::Cancelled, "the program was stopped while '" + set.name + "' ran"};
  return vertexFault(parts_.loaded, parts_.memory, set, fault);
}

wire::Status Interpreter::runExchange(std::uint32_t at) {
  now_ += parts_.loaded.exchangeCosts[at];
  const wire::Step &step = image_.steps[at];
  const auto together = wire::exchangesOf(image_, step);
  return parts_.links.run(together, step.index, parts_.environment);
}

wire::Status Interpreter::runSync(std::uint32_t at) {
  const auto group = static_cast<wire::SyncGroup>(image_.steps[at].index);
  const auto left = parts_.environment.sync(group, at, now_);
  if (!left.ok())
    return left.status();
  now_ = *left;
  return wire::Status::success();
}

wire::Status Interpreter::runHostExchange(std::uint32_t index) {
  now_ += parts_.hostClock.latency(image_.hostExchanges[index]);
  const auto transfers = image_.hostExchanges[index].transfers.size();
  for (std::uint32_t i = 0; i < transfers; ++i)
    if (auto status = runTransfer(index, i); !status.ok())
      return status;
  return wire::Status::success();
}

wire::Status Interpreter::runTransfer(std::uint32_t exchange, std::uint32_t transfer) {
  const auto &all = image_.hostExchanges[exchange];
  const auto &one = all.transfers[transfer];
  if (one.direction == wire::Direction::ToDevice) {
    parts_.environment.noteTime(now_);
    const auto read =
        parts_.environment.readStream(exchange, transfer, [&](std::span<const std::byte> row) {
          return unpackInto(one.view, row, "a stream's row");
        });
    if (!read.ok())
      return read.status();
    now_ = parts_.hostClock.end(all, one, *read, now_);
    return wire::Status::success();
  }
  now_ = parts_.hostClock.end(all, one, false, now_);
  parts_.environment.noteTime(now_);
  return parts_.environment.writeStream(exchange, transfer, partOf(one.view));
}

wire::Status Interpreter::runRemoteCopy(std::uint32_t index) {
  const auto &copy = image_.remoteCopies[index];
  std::vector<std::uint32_t> rows(copy.rows, 0);
  if (copy.hasOffsets)
    pack(parts_.memory, {&copy.offsets, 1}, reinterpret_cast<std::byte *>(rows.data()));
  const PlaceInPartition &place = parts_.loaded.placement;
  const clock::IpuPlace here{image_.ipu, place.replica.value, place.replicas, place.ipusPerReplica};
  now_ +=
      parts_.timing.remoteCopy(parts_.timing.hostLoad(copy.view.bytes, copy.replicaBytes, here));
  if (copy.direction == wire::Direction::ToHost)
    return parts_.environment.writeRows(index, rows, partOf(copy.view));
  return parts_.environment.readRows(index, rows, [&](std::span<const std::byte> bytes) {
    return unpackInto(copy.view, bytes, "rows of a remote buffer");
  });
}

wire::Status Interpreter::runPrint(std::uint32_t index) {
  parts_.environment.noteTime(now_);
  return parts_.environment.print(index, partOf(image_.prints[index].view));
}

wire::Status Interpreter::runAbort(std::uint32_t at) {
  const auto &step = image_.steps[at];
  if (step.count != 0 && predicateOf(step) == 0)
    return wire::Status::success();
  // The host stops serving at the first fault. All IPUs of the replica abort here, so they
  // synchronise first; otherwise prints of other IPUs could be lost.
  parts_.environment.awaitAllTaken();
  (void)parts_.environment.sync(wire::SyncGroup::GS1, at, now_);
  // GS1 may be each IPU alone; GS2 is then the replica.
  if (parts_.loaded.placement.replicas == 1)
    (void)parts_.environment.sync(wire::SyncGroup::GS2, at, now_);
  return {wire::Code::VertexFault, wire::nameOf(parts_.loaded.placement.self) +
                                       ": the program aborted: " + image_.messages[step.index]};
}

void Interpreter::readClock(const wire::Step &step) {
  if (step.index != image_.ipu)
    return;
  auto *const at = parts_.memory.at(step.predicate);
  std::uint64_t earlier = 0;
  if (step.count == 1)
    std::memcpy(&earlier, at, sizeof earlier);
  const std::uint64_t value = now_.value - earlier;
  std::memcpy(at, &value, sizeof value);
}

void Interpreter::allTrue(const wire::Step &step) {
  if (step.index != image_.ipu)
    return;
  std::byte *const bytes = parts_.memory.at(step.predicate);
  const bool all =
      std::all_of(bytes, bytes + step.count, [](std::byte b) { return b != std::byte{0}; });
  *bytes = std::byte{all};
}

Environment::Part Interpreter::partOf(const wire::HostView &view) const {
  return {view.bytes, [this, &view](std::byte *to) { pack(parts_.memory, view.regions, to); }};
}

wire::Status Interpreter::unpackInto(const wire::HostView &view, std::span<const std::byte> bytes,
                                     const char *what) const {
  if (bytes.size() != view.bytes)
    return {wire::Code::BadFrame, std::string(what) + " came with " + std::to_string(bytes.size()) +
                                      " bytes instead of " + std::to_string(view.bytes)};
  unpack(parts_.memory, view.regions, bytes.data());
  return wire::Status::success();
}

} // namespace copse::ipud
