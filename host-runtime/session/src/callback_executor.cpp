#include "callback_executor.hpp"

#include "locks/mutex.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <pthread.h>
#include <thread>
#include <utility>

namespace copse::session {
namespace {

constexpr std::chrono::seconds kFarewell{1};
// The number of idle threads that are kept.
constexpr unsigned kSpare = 4;

} // namespace

struct CallbackExecutor::State : std::enable_shared_from_this<State> {
  explicit State(Clock::duration longest) : longestCall(longest) {}

  struct Running {
    CallPtr call;
    Clock::time_point began;
  };

  const Clock::duration longestCall; ///< on the serving thread
  mutable locks::Mutex mutex;
  mutable locks::Condition changed;   ///< for the pool's threads
  mutable locks::Condition callEnded; ///< for awaitQuiet()
  mutable locks::Condition served;    ///< for serve()

  unsigned turns COPSE_GUARDED_BY(mutex) = 1;
  bool sideBySide COPSE_GUARDED_BY(mutex) = false;
  StreamHandler *handler COPSE_GUARDED_BY(mutex) = nullptr;
  std::deque<CallPtr> queue COPSE_GUARDED_BY(mutex); ///< for other threads
  std::deque<CallPtr> here COPSE_GUARDED_BY(mutex);  ///< for makeCall()
  std::vector<Running> running COPSE_GUARDED_BY(mutex);
  std::vector<CallPtr> ended COPSE_GUARDED_BY(mutex);
  std::function<void()> onEnd COPSE_GUARDED_BY(mutex);
  unsigned idle COPSE_GUARDED_BY(mutex) = 0; ///< threads that may take the next call or the work
  bool ending COPSE_GUARDED_BY(mutex) = false;

  // State of serve()
  std::shared_ptr<const std::function<void()>> work COPSE_GUARDED_BY(mutex);
  bool isServing COPSE_GUARDED_BY(mutex) = false;
  bool workIsNew COPSE_GUARDED_BY(mutex) = false;   ///< no thread has started it
  std::uint64_t server COPSE_GUARDED_BY(mutex) = 0; ///< number of threads that have served
  std::exception_ptr thrown COPSE_GUARDED_BY(mutex);
  /// Start of the call that the serving thread is making.
  std::optional<Clock::time_point> hereSince COPSE_GUARDED_BY(mutex);
  /// `watched`: serve() watches these calls. `made`: there were some since it last looked.
  bool watched COPSE_GUARDED_BY(mutex) = false, made COPSE_GUARDED_BY(mutex) = false;

  bool isBusy() const COPSE_REQUIRES(mutex) {
    return !queue.empty() || !here.empty() || !running.empty();
  }

  bool awaitQuiet(locks::Lock &lock, Clock::time_point deadline) const COPSE_REQUIRES(mutex) {
    return callEnded.wait_until(lock, deadline,
                                [this]() COPSE_REQUIRES(mutex) { return !isBusy(); });
  }

  /// Returns the time at which a running call loses its turn.
  Clock::time_point endOfTurn(const Running &one) const COPSE_REQUIRES(mutex) {
    if (one.call->kind != StreamCall::Kind::Prefetch && !sideBySide && !one.call->yields)
      return Clock::time_point::max();
    return one.began + (one.call->expectedToWait || one.call->yields ? kShortTurn : kTurn);
  }

  /// \returns when to check again; nothing if a turn is free now
  std::optional<Clock::time_point> turnsAreTaken(Clock::time_point now) const
      COPSE_REQUIRES(mutex) {
    unsigned taken = 0;
    Clock::time_point next = Clock::time_point::max();
    for (const Running &one : running) {
      const Clock::time_point end = endOfTurn(one);
      if (!one.call->mayWait)
        continue;
      if (end <= now) {
        one.call->hasWaited = true;
        continue;
      }
      ++taken;
      next = std::min(next, end);
    }
    return taken < turns ? std::nullopt : std::optional(next);
  }

  /// Returns true if the serving thread makes a call no later than another thread would.
  bool isSoonestHere() const COPSE_REQUIRES(mutex) {
    return queue.empty() && running.empty() && (turns == 1 || here.empty());
  }

  /// Starts enough threads for all calls that can begin.
  void provideThreads() COPSE_REQUIRES(mutex) {
    for (std::size_t wanted = std::min<std::size_t>(queue.size(), turns) + workIsNew; idle < wanted;
         ++idle)
      std::thread([self = shared_from_this()] { self->live(); }).detach();
  }

  /// The main function of one thread.
  void live() {
    pthread_setname_np(pthread_self(), "copse-callbacks");
    locks::Lock lock(mutex);
    while (idle <= kSpare && awaitTask(lock)) {
      --idle;
      provideThreads();
      if (workIsNew)
        serveRun(lock);
      else
        makeQueued(lock);
      ++idle;
    }
    --idle;
  }

  /// Waits until there is work, or a call that gets a turn.
  /// \returns false at the end of the executor
  bool awaitTask(locks::Lock &lock) const COPSE_REQUIRES(mutex) {
    while (!ending && !workIsNew) {
      const auto taken =
          queue.empty() ? std::optional(Clock::time_point::max()) : turnsAreTaken(Clock::now());
      if (!taken)
        return true;
      if (*taken == Clock::time_point::max())
        changed.wait(lock);
      else
        changed.wait_until(lock, *taken);
    }
    return !ending;
  }

  /// Not analysed, like make(), because the caller's lock is released meanwhile.
  void serveRun(locks::Lock &lock) COPSE_NOT_ANALYSED {
    workIsNew = false;
    const std::uint64_t number = ++server;
    auto mine = work;
    lock.unlock();
    std::exception_ptr came;
    try {
      (*mine)();
    } catch (...) {
      came = std::current_exception();
    }
    mine = nullptr;
    lock.lock();
    if (server != number)
      return;
    thrown = came;
    isServing = false;
    served.notify_all();
  }

  void makeQueued(locks::Lock &lock) COPSE_REQUIRES(mutex) {
    const CallPtr call = std::move(queue.front());
    queue.pop_front();
    if (make(call, lock) && onEnd)
      onEnd();
  }

  /// \returns false if the call was abandoned meanwhile
  bool make(const CallPtr &call, locks::Lock &lock) COPSE_NOT_ANALYSED {
    StreamHandler &to = *handler;
    const Clock::time_point began = Clock::now();
    running.push_back({call, began});
    tellThreads(); // threads without a turn must wait for the end of this call
    lock.unlock();
    try {
      call->invoke(to);
    } catch (...) {
      call->thrown = std::current_exception();
    }
    call->took = Clock::now() - began;
    lock.lock();
    if (std::erase_if(running, [&](const Running &one) { return one.call == call; }) == 0)
      return false;
    ended.push_back(call);
    tellThreads();
    callEnded.notify_all();
    return true;
  }

  void tellThreads() const COPSE_REQUIRES(mutex) {
    if (!queue.empty())
      changed.notify_all();
  }

  /// Hands a call of the serving thread to other threads, ahead of prefetches.
  void moveToThreads(CallPtr call) COPSE_REQUIRES(mutex) {
    const auto ahead = std::ranges::find(queue, StreamCall::Kind::Prefetch, &StreamCall::kind);
    queue.insert(ahead, std::move(call));
    provideThreads();
    tellThreads();
  }

  bool callIsLong() const COPSE_REQUIRES(mutex) {
    return hereSince && Clock::now() >= *hereSince + longestCall;
  }

  void awaitServed(locks::Lock &lock) COPSE_REQUIRES(mutex) {
    watched = std::exchange(made, false) || hereSince;
    if (watched)
      served.wait_until(lock, Clock::now() + longestCall);
    else
      served.wait(lock);
  }

  void beginWork() COPSE_REQUIRES(mutex) {
    hereSince.reset();
    ++server; // the previous server is replaced
    workIsNew = true;
    provideThreads();
    changed.notify_one();
  }

  void noteCallHere() COPSE_REQUIRES(mutex) {
    hereSince = Clock::now();
    made = true;
    if (!std::exchange(watched, true))
      served.notify_all();
  }
};

CallbackExecutor::CallbackExecutor(std::function<void()> onEnd, Clock::duration longestCall)
    : state_(std::make_shared<State>(longestCall)) {
  const locks::Lock lock(state_->mutex);
  state_->onEnd = std::move(onEnd);
}

CallbackExecutor::~CallbackExecutor() { close(); }

void CallbackExecutor::close() {
  (void)cancelQueued();
  locks::Lock lock(state_->mutex);
  if (state_->ending)
    return;
  (void)state_->awaitQuiet(lock, Clock::now() + kFarewell);
  state_->ending = true;
  state_->onEnd = nullptr;
  state_->changed.notify_all();
}

void CallbackExecutor::use(unsigned sideBySide) {
  const locks::Lock lock(state_->mutex);
  state_->turns = std::max(1U, sideBySide);
  state_->sideBySide = sideBySide > 0;
}

void CallbackExecutor::serve(StreamHandler &handler, std::function<void()> work) {
  locks::Lock lock(state_->mutex);
  state_->handler = &handler;
  state_->work = std::make_shared<const std::function<void()>>(std::move(work));
  state_->isServing = true;
  state_->beginWork();
  while (state_->isServing) {
    state_->awaitServed(lock);
    if (state_->isServing && state_->callIsLong())
      state_->beginWork();
  }
  state_->work = nullptr;
  if (const std::exception_ptr thrown = std::exchange(state_->thrown, nullptr))
    std::rethrow_exception(thrown);
}

void CallbackExecutor::start(CallPtr call) {
  const locks::Lock lock(state_->mutex);
  StreamHandler &handler = *state_->handler;
  const bool isPrint = call->kind == StreamCall::Kind::Print;
  call->yields = !isPrint && handler.yields(call->stream, call->replica);
  call->mayWait = !isPrint && handler.mayWait(call->kind, call->stream, call->replica);
  const bool elsewhere = call->mayWait && (state_->sideBySide || call->yields ||
                                           call->kind == StreamCall::Kind::Prefetch);
  if (!elsewhere || (call->isQuick && state_->isSoonestHere())) {
    state_->here.push_back(std::move(call));
    return;
  }
  state_->queue.push_back(std::move(call));
  state_->provideThreads();
  state_->changed.notify_all();
}

CallbackExecutor::CallPtr CallbackExecutor::nextHere() const {
  const locks::Lock lock(state_->mutex);
  return state_->here.empty() ? nullptr : state_->here.front();
}

bool CallbackExecutor::makeCall() {
  const auto state = state_; // may outlive this object
  locks::Lock lock(state->mutex);
  if (state->here.empty())
    return true;
  const CallPtr call = std::move(state->here.front());
  state->here.pop_front();
  if (call->mayWait && state->turnsAreTaken(Clock::now())) {
    state->moveToThreads(call);
    return true;
  }
  const std::uint64_t number = state->server;
  state->noteCallHere();
  const bool isHeard = state->make(call, lock);
  if (state->server == number) {
    state->hereSince.reset();
    return true;
  }
  if (isHeard && state->onEnd)
    state->onEnd();
  return false;
}

std::vector<CallbackExecutor::CallPtr> CallbackExecutor::ended() {
  const locks::Lock lock(state_->mutex);
  return std::exchange(state_->ended, {});
}

std::vector<CallbackExecutor::CallPtr> CallbackExecutor::cancelQueued() {
  const locks::Lock lock(state_->mutex);
  std::vector<CallPtr> cancelled;
  for (std::deque<CallPtr> *queue : {&state_->here, &state_->queue}) {
    cancelled.insert(cancelled.end(), queue->begin(), queue->end());
    queue->clear();
  }
  return cancelled;
}

CallbackExecutor::CallPtr CallbackExecutor::abandonOverdue(std::chrono::milliseconds timeout) {
  if (timeout.count() == 0)
    return nullptr;
  const locks::Lock lock(state_->mutex);
  const Clock::time_point now = Clock::now();
  const auto late = std::ranges::find_if(state_->running, [&](const State::Running &one) {
    return one.call->neededSince && now >= std::max(one.began, *one.call->neededSince) + timeout;
  });
  if (late == state_->running.end())
    return nullptr;
  CallPtr call = late->call;
  state_->running.erase(late);
  return call;
}

CallbackExecutor::Clock::time_point
CallbackExecutor::nextOverdue(std::chrono::milliseconds timeout) const {
  Clock::time_point next = Clock::time_point::max();
  const locks::Lock lock(state_->mutex);
  if (timeout.count() == 0)
    return next;
  for (const State::Running &one : state_->running)
    if (one.call->neededSince)
      next = std::min(next, std::max(one.began, *one.call->neededSince) + timeout);
  // A call that has not begun cannot be overdue earlier, and its start is not announced.
  if (std::ranges::any_of(state_->queue,
                          [](const CallPtr &call) { return call->neededSince.has_value(); }))
    next = std::min(next, Clock::now() + timeout);
  return next;
}

bool CallbackExecutor::awaitQuiet(Clock::time_point deadline) const {
  locks::Lock lock(state_->mutex);
  return state_->awaitQuiet(lock, deadline);
}

bool CallbackExecutor::busy() const {
  const locks::Lock lock(state_->mutex);
  return state_->isBusy();
}

} // namespace copse::session
