#include "serving_thread.hpp"

#include "call_guard.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <utility>

namespace copse::session {

struct ServingThread::State {
  std::mutex mutex; ///< guards all below
  std::condition_variable changed;
  std::function<void()> work;
  bool busy = false; ///< with the work, from run() until it has ended
  std::exception_ptr thrown;
  bool ending = false;
};

ServingThread::ServingThread() { start(); }

ServingThread::~ServingThread() {
  {
    const std::lock_guard lock(state_->mutex);
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
  std::unique_lock lock(state_->mutex);
  state_->work = std::move(work);
  state_->busy = true;
  state_->changed.notify_all();
  while (!state_->changed.wait_until(lock, guard.deadline(), [this] { return !state_->busy; })) {
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
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(lock, [&] { return state->work || state->ending; });
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
