#include "served_run.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace copse::session {
namespace {

namespace message = wire::session;
using wire::Code;
using wire::Status;
using Clock = std::chrono::steady_clock;

// An IPU that was told to stop looks at that between any two steps, and while codelets run.
constexpr std::chrono::seconds kStopTimeout{3};

// How long an IPU may not be told that its row was taken, when nothing else is to be told to it.
constexpr std::chrono::milliseconds kCreditDelay{1};

// How long the other IPUs of a replica whose program has failed may go on, if they do not come to
// where they wait for it.
constexpr std::chrono::milliseconds kLastPrints{500};

// How long the end of a run waits for a prefetch, and if streams are known to wait for something:
// then it may be for the host program, which waits for the run.
constexpr std::chrono::milliseconds kLastPrefetch{1'000}, kLastWaitingPrefetch{20};

// How often calls elsewhere are looked at, at least, for one that takes too long.
constexpr std::chrono::milliseconds kWatch{250};

// How long a run that has failed waits for calls elsewhere.
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

struct ServedRun::Shared {
  Shared(const Parts &of, StreamHandler &handler, std::chrono::milliseconds longestCall)
      : parts(of), patience(longestCall), guard(handler, longestCall),
        callbacks(of.threads, handler, guard, of.sideBySide),
        divergence(parts.groups, parts.partition->ipusPerReplica(),
                   parts.partition->ipuAmongAll(0)) {}

  /// Once, whichever thread serves.
  void begin(std::uint32_t program, wire::Cycles clock) {
    if (std::exchange(begun, true))
      return;
    std::vector<Order> orders;
    const Partition &partition = *parts.partition;
    for (std::uint32_t ipu = 0; ipu < partition.replicas() * partition.ipusPerReplica(); ++ipu)
      orders.push_back({ipu,
                        message::Run{program, clock, partition.meets(program),
                                     ipu == 0 && parts.tell != nullptr, parts.timesSteps},
                        {}});
    parts.requests.send(std::move(orders));
    if (!parts.requests.lost().empty())
      stop(parts.requests.verdict());
    guarded([&] {
      parts.streams->beginRun(program, callbacks);
      return Status::success();
    });
  }

  void serveAll(ServingThread::Turn &turn) {
    endCalls(); // of an earlier run, or of another thread that had the turn
    while (parts.requests.pending() > 0 || awaitsCalls()) {
      const std::size_t pending = parts.requests.pending();
      serveOne();
      endCalls();
      if (parts.requests.pending() < pending || std::exchange(endedEarly, false))
        guarded([&] {
          noteEnds();
          finishReplicas();
          return divergence.verdict();
        });
      if (!makeQuickCall(turn))
        return;
    }
    for (const auto &call : parts.threads->cancelQueued())
      parts.streams->callCancelled(*call);
    if (stopBy && !late)
      (void)parts.threads->awaitQuiet(Clock::now() + kLastCalls);
  }

  /// \returns whether this thread still serves
  bool makeQuickCall(ServingThread::Turn &turn) {
    if (!parts.threads->wantsHelp())
      return true;
    const auto threads = parts.threads; // without the turn, nothing else may be touched
    if (!turn.make([&] { threads->helpOut(); })) {
      threads->announceEnds();
      return false;
    }
    endCalls();
    return true;
  }

  /// What callbacks on other threads have done meanwhile.
  void endCalls() {
    guarded([&] {
      for (const auto &call : parts.threads->ended()) {
        threw = call;
        parts.streams->callEnded(call, callbacks);
        threw = nullptr;
      }
      return Status::success();
    });
    if (stopBy)
      return;
    late = parts.threads->overdue(patience);
    if (late)
      stop({Code::HostFault, "a callback of the host program has not returned in time"});
  }

  /// Whether the IPUs are through, but callbacks are not.
  bool awaitsCalls() {
    if (stopBy)
      return false;
    if (parts.streams->owesCalls())
      return true;
    if (!parts.threads->busy())
      return false;
    if (!lastPrefetch)
      lastPrefetch =
          Clock::now() + (parts.streams->expectsRows() ? kLastPrefetch : kLastWaitingPrefetch);
    return Clock::now() < *lastPrefetch;
  }

  void serveOne() {
    const bool mayWait = !parts.threads->wantsHelp();
    const bool came = parts.requests.step(
        mayWait ? nextDeadline() : Clock::time_point::min(),
        [&](std::uint32_t ipu, ipud::SessionMessage other) {
          guarded([&] {
            if (const auto *waiting = std::get_if<message::Waiting>(&other.header.body)) {
              if (lingerUntil)
                waitingNow.insert(ipu);
              divergence.waits(parts.partition->ipuAmongAll(ipu), *waiting);
              return divergence.verdict();
            }
            if (const auto *progress = std::get_if<message::Progress>(&other.header.body)) {
              if (parts.tell)
                parts.tell(*progress);
              return Status::success();
            }
            if (const auto *done = std::get_if<message::Done>(&other.header.body)) {
              noteEnd(ipu, *done);
              endedEarly = true;
              return Status::success();
            }
            return parts.streams->serve(ipu, other.header.body, std::move(other.payloads),
                                        callbacks);
          });
        },
        [&](std::uint32_t ipu) { failed(ipu); }, true);
    if (!stopBy && parts.trouble)
      if (const Status why = parts.trouble(); !why.ok())
        return stop(why);
    if (!stopBy && lingerUntil && (Clock::now() >= *lingerUntil || failingReplicasAreThrough()))
      return stop(parts.requests.verdict());
    if (came || !mayWait)
      return;
    if (!stopBy)
      return parts.streams->payCredits();
    if (Clock::now() < *stopBy)
      return;
    gaveUp = true;
    parts.requests.giveUp(didNotStop());
  }

  Clock::time_point nextDeadline() const {
    if (stopBy)
      return *stopBy;
    // None while it goes well: heartbeats and the processes' ends are events, too.
    const Clock::time_point now = Clock::now();
    auto next = parts.streams->owesCredits() ? now + kCreditDelay : now + std::chrono::hours(1);
    if (parts.threads->busy())
      next = std::min({next, now + kWatch, lastPrefetch.value_or(next)});
    return lingerUntil ? std::min(next, *lingerUntil) : next;
  }

  /// The program's own fault leaves the other IPUs of its replica time to come as far: they may
  /// have printed what comes before it, or are about to.
  void failed(std::uint32_t ipu) {
    const Status why = parts.requests.verdict();
    if (why.code != Code::VertexFault)
      return stop(why);
    failing.insert(parts.partition->replicaOf(ipu));
    if (!lingerUntil)
      lingerUntil = Clock::now() + kLastPrints;
  }

  /// Whether each IPU of the replicas that have failed has ended, or waits for others since.
  bool failingReplicasAreThrough() const {
    for (const std::uint32_t replica : failing)
      for (std::uint32_t number = 0; number < parts.partition->ipusPerReplica(); ++number) {
        const std::uint32_t ipu = parts.partition->ipuOf(replica, number);
        if (!parts.requests.answered(ipu) && !ended.contains(ipu) && !waitingNow.contains(ipu))
          return false;
      }
    return true;
  }

  void noteEnds() {
    const auto &answers = parts.requests.answers();
    for (std::uint32_t ipu = 0; ipu < answers.size(); ++ipu)
      if (const auto *done = parts.requests.answered(ipu)
                                 ? std::get_if<message::Done>(&answers[ipu].message.header.body)
                                 : nullptr)
        noteEnd(ipu, *done);
  }

  void noteEnd(std::uint32_t ipu, const message::Done &done) {
    ended.insert(ipu);
    divergence.ended(parts.partition->ipuAmongAll(ipu), done);
  }

  void finishReplicas() {
    const Partition &partition = *parts.partition;
    for (std::uint32_t replica = 0; replica < partition.replicas(); ++replica) {
      if (finished.contains(replica))
        continue;
      bool all = true;
      for (std::uint32_t number = 0; number < partition.ipusPerReplica(); ++number)
        all = all && (ended.contains(partition.ipuOf(replica, number)) ||
                      parts.requests.answered(partition.ipuOf(replica, number)));
      if (!all)
        continue;
      finished.insert(replica);
      parts.streams->finish(replica, callbacks);
    }
  }

  template <class F> void guarded(const F &work) {
    if (stopBy)
      return;
    try {
      if (Status status = work(); !status.ok())
        stop(status);
    } catch (const CallGuard::GivenUp &) { // nothing of the machine may be touched any more
      throw;
    } catch (...) {
      thrown = std::current_exception();
      stop({Code::HostFault, "a callback of the host program threw an exception"});
    }
  }

  void stop(const Status &why) {
    if (stopBy)
      return;
    stopBy = Clock::now() + kStopTimeout;
    fault = why;
    stopAll(parts.hub, *parts.partition, why);
  }

  Status verdict() const {
    Status said = parts.requests.verdict();
    if (said.code == Code::Timeout || said.code == Code::Disconnected)
      said.message += whereOthersWere();
    // A row that no IPU should have sent, or a callback's exception, is a cause; what IPUs say
    // after it is not, nor that one of them does not stop.
    return stopBy && (gaveUp || said.ok() || said.code == Code::Cancelled) ? fault : said;
  }

  /// Of the IPUs that were stopped because another one was missing: where the first few were.
  std::string whereOthersWere() const {
    constexpr int kMost = 3;
    std::string where;
    int told = 0;
    for (const auto &answer : parts.requests.answers())
      if (answer.status.code == Code::Cancelled && told++ < kMost)
        where += "; " + answer.status.message;
    return where;
  }

  Parts parts;
  bool begun = false;
  std::chrono::milliseconds patience;
  CallGuard guard;
  Callbacks callbacks;
  DivergenceWatch divergence;
  Status fault; ///< why all were stopped
  std::optional<Clock::time_point>
      stopBy; ///< there is one from the moment at which all were told to stop
  bool gaveUp = false;
  std::exception_ptr thrown;                     ///< by the handler
  std::shared_ptr<StreamCall> threw;             ///< the call elsewhere that did
  std::shared_ptr<StreamCall> late;              ///< the call elsewhere that takes too long
  std::optional<Clock::time_point> lastPrefetch; ///< when the run ends all the same
  std::set<std::uint32_t> ended;                 ///< IPUs whose program has ended
  bool endedEarly = false;            ///< one of them waits for those of other host programs
  std::set<std::uint32_t> finished;   ///< replicas
  std::set<std::uint32_t> failing;    ///< replicas whose program has failed
  std::set<std::uint32_t> waitingNow; ///< IPUs that said so after the first of these failures
  std::optional<Clock::time_point> lingerUntil; ///< there is one from that failure on
};

Status ServedRun::serve(StreamHandler &handler, std::chrono::milliseconds patience,
                        ServingThread &thread) {
  const auto shared = std::make_shared<Shared>(parts_, handler, patience);
  const bool ended = thread.run(
      [shared, program = program_, clock = clock_](ServingThread::Turn &turn) {
        shared->begin(program, clock);
        shared->serveAll(turn);
      },
      shared->guard);
  const auto callOf = [](const StreamCall &call) {
    return CallGuard::Call{call.name(), call.stream, call.replica};
  };
  if (!ended) {
    gaveUp_ = shared->guard.call();
    place_ = describe(*gaveUp_, parts_.streams->serving());
    return stopWithoutServing(tooLate(*gaveUp_, patience));
  }
  if (shared->late) {
    gaveUp_ = callOf(*shared->late);
    place_ = describe(*gaveUp_, shared->late->place);
    return tooLate(*gaveUp_, patience);
  }
  if (shared->threw)
    place_ = describe(callOf(*shared->threw), shared->threw->place);
  else if (shared->thrown)
    place_ = describe(shared->guard.call(), parts_.streams->serving());
  if (shared->thrown)
    std::rethrow_exception(shared->thrown);
  return shared->verdict();
}

Status ServedRun::stopWithoutServing(const Status &why) {
  stopAll(parts_.hub, *parts_.partition, why);
  const auto deadline = Clock::now() + kStopTimeout;
  while (parts_.requests.pending() > 0)
    if (!parts_.requests.step(deadline))
      parts_.requests.giveUp(didNotStop());
  return why;
}

Status ServedRun::tooLate(const CallGuard::Call &call, std::chrono::milliseconds patience) const {
  return {Code::HostFault, place_ + ": " + call.name + "() has not returned within " +
                               std::to_string(patience.count()) +
                               " ms (engine option target.hostSyncTimeout), and the run was "
                               "stopped; connect another callback and load again"};
}

std::string ServedRun::describe(const CallGuard::Call &call, const std::string &transfer) const {
  const std::string replica = "replica " +
                              std::to_string(parts_.partition->replicaAmongAll(call.replica)) +
                              " of " + std::to_string(parts_.partition->allReplicas());
  const std::string what = call.ofStream
                               ? "stream '" + parts_.partition->streams()[call.stream].handle + "'"
                               : "printed tensor " + std::to_string(call.stream);
  return what + ", " + replica + ", " + (transfer.empty() ? parts_.streams->serving() : transfer);
}

} // namespace copse::session
