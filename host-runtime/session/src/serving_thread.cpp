#include "serving_thread.hpp"

#include "call_guard.hpp"
#include "locks/mutex.hpp"

#include <exception>
#include <pthread.h>
#include <utility>

namespace copse::session {

struct ServingThread::State {
  locks::Mutex mutex;
  locks::Condition changed;
  std::function<void()> work COPSE_GUARDED_BY(mutex);
  /// With the work, from run() until it has ended.
  bool busy COPSE_GUARDED_BY(mutex) = false;
  std::exception_ptr thrown COPSE_GUARDED_BY(mutex);
  bool ending COPSE_GUARDED_BY(mutex) = false;
};

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
  thread_ = std::thread([state = state_] { serve(state); });
  pthread_setname_np(thread_.native_handle(), "copse-callbacks");
}

bool ServingThread::run(std::function<void()> work, CallGuard &guard) {
  locks::Lock lock(state_->mutex);
  state_->work = std::move(work);
  state_->busy = true;
  state_->changed.notify_all();
  while (!state_->changed.wait_until(
      lock, guard.deadline(), [this]() COPSE_REQUIRES(state_->mutex) { return !state_->busy; })) {
    if (!guard.giveUp())
      continue;
    state_->ending = true;
    lock.unlock();
    thread_.detach();
    start();
    return false;
  }
  if (const std::exception_ptr thrown = std::exchange(state_->thrown, nullptr))
    std::rethrow_exception(thrown);
  return true;
}

void ServingThread::serve(const std::shared_ptr<State> &state) {
  locks::Lock lock(state->mutex);
  for (;;) {
    state->changed.wait(
        lock, [&]() COPSE_REQUIRES(state->mutex) { return state->work || state->ending; });
    if (!state->work)
      return;
    auto work = std::exchange(state->work, nullptr);
    lock.unlock();
    std::exception_ptr thrown;
    try {
      work();
    } catch (const CallGuard::GivenUp &) { // nobody waits any more
    } catch (...) {
      thrown = std::current_exception();
    }
    work = nullptr; // what it owns ends before the wait for it does
    lock.lock();
    state->thrown = thrown;
    state->busy = false;
    state->changed.notify_all();
  }
}

} // namespace copse::session
