#include "serving_thread.hpp"

#include "call_guard.hpp"
#include "locks/mutex.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <pthread.h>
#include <utility>

namespace copse::session {
namespace {

// After which a call that should be short is not. Calls are looked at as often, while there are such.
constexpr std::chrono::milliseconds kLongestCall{3};

} // namespace

struct ServingThread::State {
  locks::Mutex mutex;
  locks::Condition changed;
  /// From run() until it has ended.
  std::shared_ptr<const Work> work COPSE_GUARDED_BY(mutex);
  bool busy COPSE_GUARDED_BY(mutex) = false;
  bool isNew COPSE_GUARDED_BY(mutex) = false;       ///< no thread has begun with the work
  std::uint64_t thread COPSE_GUARDED_BY(mutex) = 0; ///< that has the turn, by number
  /// When the call began that Turn::make() makes.
  std::optional<CallGuard::Clock::time_point> since COPSE_GUARDED_BY(mutex);
  /// Whether run() looks at such calls, and whether there were any since it last looked.
  bool watched COPSE_GUARDED_BY(mutex) = false, made COPSE_GUARDED_BY(mutex) = false;
  std::exception_ptr thrown COPSE_GUARDED_BY(mutex);
  bool ending COPSE_GUARDED_BY(mutex) = false;

  bool callIsLong() const COPSE_REQUIRES(mutex) {
    return since && CallGuard::Clock::now() >= *since + kLongestCall;
  }

  CallGuard::Clock::time_point nextLook(CallGuard::Clock::time_point latest) COPSE_REQUIRES(mutex) {
    watched = std::exchange(made, false) || since;
    return watched ? std::min(latest, CallGuard::Clock::now() + kLongestCall) : latest;
  }
};

bool ServingThread::Turn::make(const std::function<void()> &call) {
  {
    const locks::Lock lock(state_.mutex);
    state_.since = CallGuard::Clock::now();
    state_.made = true;
    if (!std::exchange(state_.watched, true))
      state_.changed.notify_all();
  }
  call();
  const locks::Lock lock(state_.mutex);
  if (state_.thread != thread_)
    return false;
  state_.since.reset();
  return true;
}

ServingThread::ServingThread() { start(); }

ServingThread::~ServingThread() {
  {
    const locks::Lock lock(state_->mutex);
    state_->ending = true;
  }
  state_->changed.notify_all();
  thread_.join();
}

void ServingThread::start() {
  state_ = std::make_shared<State>();
  startThread(0);
}

void ServingThread::startThread(std::uint64_t number) {
  thread_ = std::thread([state = state_, number] { serve(state, number); });
  pthread_setname_np(thread_.native_handle(), "copse-callbacks");
}

bool ServingThread::run(Work work, CallGuard &guard) {
  locks::Lock lock(state_->mutex);
  state_->work = std::make_shared<const Work>(std::move(work));
  state_->busy = state_->isNew = true;
  state_->changed.notify_all();
  while (state_->busy) {
    state_->changed.wait_until(lock, state_->nextLook(guard.deadline()));
    if (!state_->busy)
      break;
    if (state_->callIsLong()) {
      state_->since.reset();
      state_->isNew = true;
      thread_.detach();
      startThread(++state_->thread);
    } else if (guard.giveUp()) {
      state_->ending = true;
      lock.unlock();
      thread_.detach();
      start();
      return false;
    }
  }
  if (const std::exception_ptr thrown = std::exchange(state_->thrown, nullptr))
    std::rethrow_exception(thrown);
  return true;
}

void ServingThread::serve(const std::shared_ptr<State> &state, std::uint64_t number) {
  locks::Lock lock(state->mutex);
  for (;;) {
    state->changed.wait(
        lock, [&]() COPSE_REQUIRES(state->mutex) { return state->isNew || state->ending; });
    if (!std::exchange(state->isNew, false))
      return;
    auto work = state->work;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      Turn turn(*state, number);
      (*work)(turn);
    } catch (const CallGuard::GivenUp &) { // nobody waits any more
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (state->thread != number)
      return;
    state->work = nullptr;
    lock.unlock();
    work = nullptr; // what it owns ends before the wait for it does
    lock.lock();
    state->thrown = thrown;
    state->busy = false;
    state->changed.notify_all();
  }
}

} // namespace copse::session
