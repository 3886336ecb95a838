#include "call_threads.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
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

  mutable std::mutex mutex; ///< guards all below
  mutable std::condition_variable changed;
  unsigned turns = 1;
  bool anyMayWait = false;
  std::deque<Queued> queue;
  std::vector<Running> running;
  std::vector<CallPtr> ended;
  std::function<void()> onEnd;
  unsigned ownTurns = 0;
  unsigned idle = 0; ///< threads that take the next call, or watch whose turn is over
  bool ending = false;

  /// When a call that runs loses its turn.
  Clock::time_point endOfTurn(const Running &one) const {
    if (one.call->kind != StreamCall::Kind::Prefetch && !anyMayWait && !one.call->givesWay)
      return Clock::time_point::max();
    return one.began + (one.call->expectedToWait || one.call->givesWay ? kShortTurn : kTurn);
  }

  /// \returns when to ask again; none: there is a turn now
  std::optional<Clock::time_point> turnsAreTaken(Clock::time_point now) const {
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
  bool awaitTurn(std::unique_lock<std::mutex> &lock, const Wanted &isWanted) const {
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

  void addThread() {
    ++idle;
    std::thread([self = shared_from_this()] { self->serve(); }).detach();
  }

  /// The life of one thread.
  void serve() {
    pthread_setname_np(pthread_self(), "copse-callback");
    std::unique_lock lock(mutex);
    while (idle <= kSpare && awaitTurn(lock, [this] { return !queue.empty(); }))
      serveOne(lock);
    --idle;
  }

  void serveOne(std::unique_lock<std::mutex> &lock) {
    const Queued next = std::move(queue.front());
    queue.pop_front();
    running.push_back({next.call, Clock::now()});
    if (--idle == 0 && !queue.empty())
      addThread();
    changed.notify_all(); // whoever waits for a turn waits for the end of this one
    lock.unlock();
    try {
      next.call->invoke(*next.handler);
    } catch (...) {
      next.call->thrown = std::current_exception();
    }
    lock.lock();
    ++idle;
    std::erase_if(running, [&](const Running &one) { return one.call == next.call; });
    ended.push_back(next.call);
    changed.notify_all();
    if (onEnd)
      onEnd();
  }
};

CallThreads::CallThreads(std::function<void()> onEnd) : state_(std::make_shared<State>()) {
  state_->onEnd = std::move(onEnd);
}

CallThreads::~CallThreads() { close(); }

void CallThreads::close() {
  (void)cancelQueued();
  (void)awaitQuiet(Clock::now() + kFarewell);
  const std::lock_guard lock(state_->mutex);
  state_->ending = true;
  state_->onEnd = nullptr;
  state_->changed.notify_all();
}

void CallThreads::use(unsigned turns, bool anyMayWait) {
  const std::lock_guard lock(state_->mutex);
  state_->turns = turns;
  state_->anyMayWait = anyMayWait;
}

void CallThreads::start(CallPtr call, StreamHandler &handler) {
  const std::lock_guard lock(state_->mutex);
  state_->queue.push_back({std::move(call), &handler});
  if (state_->idle < std::min<std::size_t>(state_->queue.size(), state_->turns))
    state_->addThread();
  state_->changed.notify_all();
}

std::vector<CallThreads::CallPtr> CallThreads::ended() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->ended, {});
}

std::vector<CallThreads::CallPtr> CallThreads::cancelQueued() {
  const std::lock_guard lock(state_->mutex);
  std::vector<CallPtr> cancelled;
  for (State::Queued &queued : state_->queue)
    cancelled.push_back(std::move(queued.call));
  state_->queue.clear();
  return cancelled;
}

bool CallThreads::awaitQuiet(Clock::time_point deadline) const {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_until(
      lock, deadline, [this] { return state_->queue.empty() && state_->running.empty(); });
}

CallThreads::CallPtr CallThreads::overdue(std::chrono::milliseconds patience) const {
  if (patience.count() == 0)
    return nullptr;
  const std::lock_guard lock(state_->mutex);
  const Clock::time_point now = Clock::now();
  for (const State::Running &one : state_->running)
    if (one.call->neededSince && now >= std::max(one.began, *one.call->neededSince) + patience)
      return one.call;
  return nullptr;
}

bool CallThreads::busy() const {
  const std::lock_guard lock(state_->mutex);
  return !state_->queue.empty() || !state_->running.empty();
}

CallThreads::OwnTurn::OwnTurn(CallThreads &threads) : state_(threads.state_) {
  std::unique_lock lock(state_->mutex);
  (void)state_->awaitTurn(lock, [] { return true; });
  ++state_->ownTurns;
}

CallThreads::OwnTurn::~OwnTurn() {
  const std::lock_guard lock(state_->mutex);
  --state_->ownTurns;
  if (!state_->queue.empty())
    state_->changed.notify_all();
}

} // namespace copse::session
