#include "call_threads.hpp"

#include "locks/mutex.hpp"

#include <algorithm>
#include <deque>
#include <pthread.h>
#include <thread>
#include <utility>

namespace copse::session {
namespace {

constexpr std::chrono::seconds kFarewell{1};
// Threads that wait for the next call.
constexpr unsigned kSpare = 4;

} // namespace

struct CallThreads::State : std::enable_shared_from_this<State> {
  struct Queued {
    CallPtr call;
    StreamHandler *handler = nullptr;
  };
  struct Running {
    CallPtr call;
    Clock::time_point began;
  };

  mutable locks::Mutex mutex;
  mutable locks::Condition changed;   ///< for the threads
  mutable locks::Condition callEnded; ///< for all others
  unsigned turns COPSE_GUARDED_BY(mutex) = 1;
  bool anyMayWait COPSE_GUARDED_BY(mutex) = false;
  std::deque<Queued> queue COPSE_GUARDED_BY(mutex);
  std::deque<Queued> forHelper COPSE_GUARDED_BY(mutex);
  std::vector<Running> running COPSE_GUARDED_BY(mutex);
  std::vector<CallPtr> ended COPSE_GUARDED_BY(mutex);
  std::function<void()> onEnd COPSE_GUARDED_BY(mutex);
  unsigned ownTurns COPSE_GUARDED_BY(mutex) = 0;
  /// Threads that take the next call, or watch whose turn is over.
  unsigned idle COPSE_GUARDED_BY(mutex) = 0;
  bool ending COPSE_GUARDED_BY(mutex) = false;

  bool isBusy() const COPSE_REQUIRES(mutex) {
    return !queue.empty() || !forHelper.empty() || !running.empty();
  }

  /// Whether a call that waits for the helper is made no later than on a thread.
  bool helperIsSoonest() const COPSE_REQUIRES(mutex) {
    return queue.empty() && running.empty() && (turns == 1 || forHelper.empty());
  }

  /// When a call that runs loses its turn.
  Clock::time_point endOfTurn(const Running &one) const COPSE_REQUIRES(mutex) {
    if (one.call->kind != StreamCall::Kind::Prefetch && !anyMayWait && !one.call->givesWay)
      return Clock::time_point::max();
    return one.began + (one.call->expectedToWait || one.call->givesWay ? kShortTurn : kTurn);
  }

  /// \returns when to ask again; none: there is a turn now
  std::optional<Clock::time_point> turnsAreTaken(Clock::time_point now) const
      COPSE_REQUIRES(mutex) {
    unsigned taken = ownTurns;
    Clock::time_point next = Clock::time_point::max();
    for (const Running &one : running) {
      const Clock::time_point end = endOfTurn(one);
      if (end <= now) {
        one.call->hasWaited = true;
        continue;
      }
      ++taken;
      next = std::min(next, end);
    }
    return taken < turns ? std::nullopt : std::optional(next);
  }

  /// Waits until there is a turn, for something if \p isWanted.
  /// \returns false when all ends
  template <class Wanted>
  bool awaitTurn(locks::Lock &lock, locks::Condition &mayBe, const Wanted &isWanted) const
      COPSE_REQUIRES(mutex) {
    while (!ending) {
      const auto taken =
          isWanted() ? turnsAreTaken(Clock::now()) : std::optional(Clock::time_point::max());
      if (!taken)
        return true;
      if (*taken == Clock::time_point::max())
        mayBe.wait(lock);
      else
        mayBe.wait_until(lock, *taken);
    }
    return false;
  }

  void addThread() COPSE_REQUIRES(mutex) {
    ++idle;
    std::thread([self = shared_from_this()] { self->serve(); }).detach();
  }

  /// The life of one thread.
  void serve() {
    pthread_setname_np(pthread_self(), "copse-callback");
    locks::Lock lock(mutex);
    while (idle <= kSpare &&
           awaitTurn(lock, changed, [this]() COPSE_REQUIRES(mutex) { return !queue.empty(); })) {
      if (--idle == 0 && queue.size() > 1)
        addThread();
      const Queued next = begin(queue);
      lock.unlock();
      next.call->invokeTimed(*next.handler);
      lock.lock();
      noteEnd(next.call);
      ++idle;
      if (onEnd)
        onEnd();
    }
    --idle;
  }

  Queued begin(std::deque<Queued> &from) COPSE_REQUIRES(mutex) {
    Queued next = std::move(from.front());
    from.pop_front();
    running.push_back({next.call, Clock::now()});
    tellThreads(); // those that wait for a turn wait for the end of this one
    return next;
  }

  void noteEnd(const CallPtr &call) COPSE_REQUIRES(mutex) {
    std::erase_if(running, [&](const Running &one) { return one.call == call; });
    ended.push_back(call);
    tellThreads();
    callEnded.notify_all();
  }

  void tellThreads() COPSE_REQUIRES(mutex) {
    if (!queue.empty())
      changed.notify_all();
  }

  void queueForThreads(Queued queued) COPSE_REQUIRES(mutex) {
    queue.push_back(std::move(queued));
    if (idle < std::min<std::size_t>(queue.size(), turns))
      addThread();
    changed.notify_all();
  }
};

CallThreads::CallThreads(std::function<void()> onEnd) : state_(std::make_shared<State>()) {
  const locks::Lock lock(state_->mutex);
  state_->onEnd = std::move(onEnd);
}

CallThreads::~CallThreads() { close(); }

void CallThreads::close() {
  (void)cancelQueued();
  (void)awaitQuiet(Clock::now() + kFarewell);
  const locks::Lock lock(state_->mutex);
  state_->ending = true;
  state_->onEnd = nullptr;
  state_->changed.notify_all();
  state_->callEnded.notify_all();
}

void CallThreads::use(unsigned turns, bool anyMayWait) {
  const locks::Lock lock(state_->mutex);
  state_->turns = turns;
  state_->anyMayWait = anyMayWait;
}

void CallThreads::start(CallPtr call, StreamHandler &handler) {
  const locks::Lock lock(state_->mutex);
  State::Queued queued{std::move(call), &handler};
  if (queued.call->isQuick && state_->helperIsSoonest())
    state_->forHelper.push_back(std::move(queued));
  else
    state_->queueForThreads(std::move(queued));
}

bool CallThreads::wantsHelp() const {
  const locks::Lock lock(state_->mutex);
  return !state_->forHelper.empty();
}

void CallThreads::helpOut() {
  const auto state = state_; // may outlive this
  locks::Lock lock(state->mutex);
  if (state->forHelper.empty())
    return;
  if (state->turnsAreTaken(Clock::now())) {
    state->queueForThreads(std::move(state->forHelper.front()));
    state->forHelper.pop_front();
    return;
  }
  const State::Queued next = state->begin(state->forHelper);
  lock.unlock();
  next.call->invokeTimed(*next.handler);
  lock.lock();
  state->noteEnd(next.call);
}

void CallThreads::announceEnds() {
  const locks::Lock lock(state_->mutex);
  if (state_->onEnd)
    state_->onEnd();
}

std::vector<CallThreads::CallPtr> CallThreads::ended() {
  const locks::Lock lock(state_->mutex);
  return std::exchange(state_->ended, {});
}

std::vector<CallThreads::CallPtr> CallThreads::cancelQueued() {
  const locks::Lock lock(state_->mutex);
  std::vector<CallPtr> cancelled;
  for (std::deque<State::Queued> *queue : {&state_->forHelper, &state_->queue}) {
    for (State::Queued &queued : *queue)
      cancelled.push_back(std::move(queued.call));
    queue->clear();
  }
  return cancelled;
}

bool CallThreads::awaitQuiet(Clock::time_point deadline) const {
  locks::Lock lock(state_->mutex);
  return state_->callEnded.wait_until(
      lock, deadline, [this]() COPSE_REQUIRES(state_->mutex) { return !state_->isBusy(); });
}

CallThreads::CallPtr CallThreads::overdue(std::chrono::milliseconds patience) const {
  if (patience.count() == 0)
    return nullptr;
  const locks::Lock lock(state_->mutex);
  const Clock::time_point now = Clock::now();
  for (const State::Running &one : state_->running)
    if (one.call->neededSince && now >= std::max(one.began, *one.call->neededSince) + patience)
      return one.call;
  return nullptr;
}

bool CallThreads::busy() const {
  const locks::Lock lock(state_->mutex);
  return state_->isBusy();
}

CallThreads::OwnTurn::OwnTurn(CallThreads &threads) : state_(threads.state_) {
  locks::Lock lock(state_->mutex);
  (void)state_->awaitTurn(lock, state_->callEnded, [] { return true; });
  ++state_->ownTurns;
}

CallThreads::OwnTurn::~OwnTurn() {
  const locks::Lock lock(state_->mutex);
  --state_->ownTurns;
  state_->tellThreads();
}

} // namespace copse::session
