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
  mutable locks::Condition changed;
  unsigned turns COPSE_GUARDED_BY(mutex) = 1;
  bool anyMayWait COPSE_GUARDED_BY(mutex) = false;
  std::deque<Queued> queue COPSE_GUARDED_BY(mutex);
  std::vector<Running> running COPSE_GUARDED_BY(mutex);
  std::vector<CallPtr> ended COPSE_GUARDED_BY(mutex);
  std::function<void()> onEnd COPSE_GUARDED_BY(mutex);
  unsigned ownTurns COPSE_GUARDED_BY(mutex) = 0;
  /// Threads that take the next call, or watch whose turn is over.
  unsigned idle COPSE_GUARDED_BY(mutex) = 0;
  bool ending COPSE_GUARDED_BY(mutex) = false;

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
  bool awaitTurn(locks::Lock &lock, const Wanted &isWanted) const COPSE_REQUIRES(mutex) {
    while (!ending) {
      const auto taken =
          isWanted() ? turnsAreTaken(Clock::now()) : std::optional(Clock::time_point::max());
      if (!taken)
        return true;
      if (*taken == Clock::time_point::max())
        changed.wait(lock);
      else
        changed.wait_until(lock, *taken);
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
           awaitTurn(lock, [this]() COPSE_REQUIRES(mutex) { return !queue.empty(); })) {
      const Queued next = takeNext();
      lock.unlock();
      try {
        next.call->invoke(*next.handler);
      } catch (...) {
        next.call->thrown = std::current_exception();
      }
      lock.lock();
      noteEnd(next.call);
    }
    --idle;
  }

  Queued takeNext() COPSE_REQUIRES(mutex) {
    Queued next = std::move(queue.front());
    queue.pop_front();
    running.push_back({next.call, Clock::now()});
    if (--idle == 0 && !queue.empty())
      addThread();
    changed.notify_all(); // whoever waits for a turn waits for the end of this one
    return next;
  }

  void noteEnd(const CallPtr &call) COPSE_REQUIRES(mutex) {
    ++idle;
    std::erase_if(running, [&](const Running &one) { return one.call == call; });
    ended.push_back(call);
    changed.notify_all();
    if (onEnd)
      onEnd();
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
}

void CallThreads::use(unsigned turns, bool anyMayWait) {
  const locks::Lock lock(state_->mutex);
  state_->turns = turns;
  state_->anyMayWait = anyMayWait;
}

void CallThreads::start(CallPtr call, StreamHandler &handler) {
  const locks::Lock lock(state_->mutex);
  state_->queue.push_back({std::move(call), &handler});
  if (state_->idle < std::min<std::size_t>(state_->queue.size(), state_->turns))
    state_->addThread();
  state_->changed.notify_all();
}

std::vector<CallThreads::CallPtr> CallThreads::ended() {
  const locks::Lock lock(state_->mutex);
  return std::exchange(state_->ended, {});
}

std::vector<CallThreads::CallPtr> CallThreads::cancelQueued() {
  const locks::Lock lock(state_->mutex);
  std::vector<CallPtr> cancelled;
  for (State::Queued &queued : state_->queue)
    cancelled.push_back(std::move(queued.call));
  state_->queue.clear();
  return cancelled;
}

bool CallThreads::awaitQuiet(Clock::time_point deadline) const {
  locks::Lock lock(state_->mutex);
  return state_->changed.wait_until(lock, deadline, [this]() COPSE_REQUIRES(state_->mutex) {
    return state_->queue.empty() && state_->running.empty();
  });
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
  return !state_->queue.empty() || !state_->running.empty();
}

CallThreads::OwnTurn::OwnTurn(CallThreads &threads) : state_(threads.state_) {
  locks::Lock lock(state_->mutex);
  (void)state_->awaitTurn(lock, [] { return true; });
  ++state_->ownTurns;
}

CallThreads::OwnTurn::~OwnTurn() {
  const locks::Lock lock(state_->mutex);
  --state_->ownTurns;
  if (!state_->queue.empty())
    state_->changed.notify_all();
}

} // namespace copse::session
