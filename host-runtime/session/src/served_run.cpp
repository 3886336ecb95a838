#include "served_run.hpp"

#include <algorithm>
#include <utility>

namespace copse::session {
namespace {

namespace message = wire::session;
using wire::Code;
using wire::Status;
using Clock = std::chrono::steady_clock;

// An IPU that was told to stop checks for that between steps, and while codelets run.
constexpr std::chrono::seconds kStopTimeout{3};

// The longest delay of a credit that is not sent with another message.
constexpr std::chrono::milliseconds kCreditDelay{1};

// How long the other IPUs of a failed replica may continue if they do not reach a point where they
// wait for the failed IPU.
constexpr std::chrono::milliseconds kLastPrints{500};

// How long the end of a run waits for a prefetch, in general and if streams are known to wait. In
// the latter case the callback may be waiting for the host program, which waits for the run.
constexpr std::chrono::milliseconds kLastPrefetch{1'000}, kLastWaitingPrefetch{20};

// How long a failed run waits for calls.
constexpr std::chrono::seconds kLastCalls{1};

void stopAll(Hub &hub, const Partition &partition, const Status &why) {
  for (std::uint32_t ipu = 0; ipu < partition.replicas() * partition.ipusPerReplica(); ++ipu)
    hub.send(ipu,
             {{0, {}, message::Stop{{Code::Cancelled, "stopped, because " + why.message}}}, {}});
}

Status didNotStop() {
  return {Code::Timeout, "did not stop in time; load the program again to replace it"};
}

} // namespace

Status ServedRun::serve(StreamHandler &handler) {
  parts_.calls.serve(handler, [this] {
    begin();
    serveAll();
  });
  if (late_) {
    place_ = describe(*late_);
    return tooLate();
  }
  if (threw_)
    place_ = describe(*threw_);
  if (thrown_)
    std::rethrow_exception(thrown_);
  return verdict();
}

/// Begins the run once, whichever thread serves.
void ServedRun::begin() {
  if (std::exchange(begun_, true))
    return;
  std::vector<Order> orders;
  const Partition &partition = *parts_.partition;
  for (std::uint32_t ipu = 0; ipu < partition.replicas() * partition.ipusPerReplica(); ++ipu)
    orders.push_back(
        {ipu,
         message::Run{program_, clock_, partition.meets(program_),
                      ipu == 0 && parts_.tell != nullptr, parts_.timesSteps, parts_.programTime},
         {}});
  parts_.requests.send(std::move(orders));
  if (!parts_.requests.lost().empty())
    stop(parts_.requests.verdict());
  guarded([&] {
    parts_.streams.beginRun(program_);
    return Status::success();
  });
}

/// Serves the run. Restarts on another thread while this thread makes a long call. Processes
/// messages between two calls that prefetch.
void ServedRun::serveAll() {
  endCalls(); // calls of an earlier run, or of a previous serving thread
  while (parts_.requests.pending() > 0 || awaitsCalls()) {
    const auto next = parts_.calls.nextHere();
    if (next && !parts_.calls.makeCall())
      return;
    if (next)
      endCalls();
    if (next && next->kind != StreamCall::Kind::Prefetch)
      continue;
    const std::size_t pending = parts_.requests.pending();
    serveOne(next == nullptr);
    endCalls();
    if (parts_.requests.pending() < pending || std::exchange(endedEarly_, false))
      guarded([&] {
        noteEnds();
        finishReplicas();
        return divergence_.verdict();
      });
  }
  cancelCalls();
  if (stopBy_)
    (void)parts_.calls.awaitQuiet(Clock::now() + kLastCalls);
}

void ServedRun::cancelCalls() {
  for (const auto &call : parts_.calls.cancelQueued())
    parts_.streams.callCancelled(*call);
}

/// Collects the results of callbacks.
void ServedRun::endCalls() {
  guarded([&] {
    for (const auto &call : parts_.calls.ended()) {
      threw_ = call;
      parts_.streams.callEnded(call);
      threw_ = nullptr;
    }
    return Status::success();
  });
  if (stopBy_)
    return;
  late_ = parts_.calls.abandonOverdue(parts_.callTimeout);
  if (late_)
    stop({Code::HostFault, "a callback of the host program has not returned in time"});
}

/// Returns true if the IPUs are done, but callbacks are not.
bool ServedRun::awaitsCalls() {
  if (stopBy_)
    return false;
  if (parts_.streams.owesCalls())
    return true;
  if (!parts_.calls.busy())
    return false;
  if (!lastPrefetch_)
    lastPrefetch_ =
        Clock::now() + (parts_.streams.expectsRows() ? kLastPrefetch : kLastWaitingPrefetch);
  return Clock::now() < *lastPrefetch_;
}

void ServedRun::serveOne(bool mayWait) {
  const bool came = parts_.requests.step(
      mayWait ? nextDeadline() : Clock::time_point::min(),
      [&](std::uint32_t ipu, ipud::SessionMessage other) {
        guarded([&] { return take(ipu, std::move(other)); });
      },
      [&](std::uint32_t ipu) { failed(ipu); }, true);
  if (!stopBy_ && parts_.trouble)
    if (const Status why = parts_.trouble(); !why.ok())
      return stop(why);
  if (!stopBy_ && lingerUntil_ && (Clock::now() >= *lingerUntil_ || failingReplicasAreThrough()))
    return stop(parts_.requests.verdict());
  if (came || !mayWait)
    return;
  if (!stopBy_)
    return parts_.streams.payCredits();
  if (Clock::now() < *stopBy_)
    return;
  timedOut_ = true;
  parts_.requests.loseAllPending(didNotStop());
}

/// Handles a message that is not an answer.
Status ServedRun::take(std::uint32_t ipu, ipud::SessionMessage other) {
  const message::Body &body = other.header.body;
  if (const auto *waiting = std::get_if<message::Waiting>(&body)) {
    if (lingerUntil_)
      waitingNow_.insert(ipu);
    divergence_.waits(parts_.partition->ipuAmongAll(ipu), *waiting);
    return divergence_.verdict();
  }
  if (const auto *progress = std::get_if<message::Progress>(&body)) {
    if (parts_.tell)
      parts_.tell(*progress);
    return Status::success();
  }
  if (const auto *began = std::get_if<message::Began>(&body)) {
    if (parts_.began)
      parts_.began(*began);
    return Status::success();
  }
  if (const auto *done = std::get_if<message::Done>(&body)) {
    noteEnd(ipu, *done);
    endedEarly_ = true;
    return Status::success();
  }
  return parts_.streams.serve(ipu, body, std::move(other.payloads));
}

Clock::time_point ServedRun::nextDeadline() const {
  if (stopBy_)
    return *stopBy_;
  // There is no deadline in the normal case, as heartbeats and process ends are events too.
  const Clock::time_point now = Clock::now();
  auto next = parts_.streams.owesCredits() ? now + kCreditDelay : now + std::chrono::hours(1);
  next = std::min(next, parts_.calls.nextOverdue(parts_.callTimeout));
  if (lastPrefetch_ && !parts_.streams.owesCalls())
    next = std::min(next, *lastPrefetch_);
  return lingerUntil_ ? std::min(next, *lingerUntil_) : next;
}

/// Handles a failed IPU. After a fault of the program, the other IPUs of its replica get time to
/// reach that point, because they may have yet to print what comes before it.
void ServedRun::failed(std::uint32_t ipu) {
  const Status why = parts_.requests.verdict();
  if (why.code != Code::VertexFault)
    return stop(why);
  failing_.insert(parts_.partition->replicaOf(ipu));
  if (!lingerUntil_)
    lingerUntil_ = Clock::now() + kLastPrints;
}

/// Returns true if each IPU of the failed replicas has ended, or has waited for others since the
/// failure.
bool ServedRun::failingReplicasAreThrough() const {
  for (const std::uint32_t replica : failing_)
    for (std::uint32_t number = 0; number < parts_.partition->ipusPerReplica(); ++number) {
      const std::uint32_t ipu = parts_.partition->ipuOf(replica, number);
      if (!parts_.requests.answered(ipu) && !ended_.contains(ipu) && !waitingNow_.contains(ipu))
        return false;
    }
  return true;
}

void ServedRun::noteEnds() {
  const auto &answers = parts_.requests.answers();
  for (std::uint32_t ipu = 0; ipu < answers.size(); ++ipu)
    if (const auto *done = parts_.requests.answered(ipu)
                               ? std::get_if<message::Done>(&answers[ipu].message.header.body)
                               : nullptr)
      noteEnd(ipu, *done);
}

void ServedRun::noteEnd(std::uint32_t ipu, const message::Done &done) {
  ended_.insert(ipu);
  divergence_.ended(parts_.partition->ipuAmongAll(ipu), done);
}

void ServedRun::finishReplicas() {
  const Partition &partition = *parts_.partition;
  for (std::uint32_t replica = 0; replica < partition.replicas(); ++replica) {
    if (finished_.contains(replica))
      continue;
    bool all = true;
    for (std::uint32_t number = 0; number < partition.ipusPerReplica(); ++number)
      all = all && (ended_.contains(partition.ipuOf(replica, number)) ||
                    parts_.requests.answered(partition.ipuOf(replica, number)));
    if (!all)
      continue;
    finished_.insert(replica);
    parts_.streams.finish(replica);
  }
}

template <class F> void ServedRun::guarded(const F &work) {
  if (stopBy_)
    return;
  try {
    if (Status status = work(); !status.ok())
      stop(status);
  } catch (...) {
    thrown_ = std::current_exception();
    stop({Code::HostFault, "a callback of the host program threw an exception"});
  }
}

void ServedRun::stop(const Status &why) {
  if (stopBy_)
    return;
  stopBy_ = Clock::now() + kStopTimeout;
  fault_ = why;
  cancelCalls();
  stopAll(parts_.hub, *parts_.partition, why);
}

Status ServedRun::verdict() const {
  Status said = parts_.requests.verdict();
  if (said.code == Code::Timeout || said.code == Code::Disconnected)
    said.message += whereOthersWere();
  // A row that no IPU should have sent, or a callback's exception, is a cause. What IPUs report
  // afterwards is not, nor that one of them does not stop.
  return stopBy_ && (timedOut_ || said.ok() || said.code == Code::Cancelled) ? fault_ : said;
}

/// Describes where the first few IPUs were that were stopped because another one was missing.
std::string ServedRun::whereOthersWere() const {
  constexpr int kMost = 3;
  std::string where;
  int told = 0;
  for (const auto &answer : parts_.requests.answers())
    if (answer.status.code == Code::Cancelled && told++ < kMost)
      where += "; " + answer.status.message;
  return where;
}

Status ServedRun::tooLate() const {
  return {Code::HostFault, place_ + ": " + late_->name() + "() has not returned within " +
                               std::to_string(parts_.callTimeout.count()) +
                               " ms (engine option target.hostSyncTimeout), and the run was "
                               "stopped; connect another callback and load again"};
}

std::string ServedRun::describe(const StreamCall &call) const {
  const std::string replica = "replica " +
                              std::to_string(parts_.partition->replicaAmongAll(call.replica)) +
                              " of " + std::to_string(parts_.partition->allReplicas());
  const std::string what = call.kind == StreamCall::Kind::Print
                               ? "printed tensor " + std::to_string(call.stream)
                               : "stream '" + parts_.partition->streams()[call.stream].handle + "'";
  return what + ", " + replica + ", " +
         (call.place.empty() ? parts_.streams.serving() : call.place);
}

} // namespace copse::session
