#include "fabric/loop_poller.hpp"

namespace copse::fabric {

bool LoopPoller::awaitOwn() {
  locks::Lock lock(mutex_);
  while (!stopping_ && !isOwns()) {
    const auto waiters = waiters_;
    toOwn_.wait_for(lock, kTakeOverTimeout,
                    [this]() COPSE_REQUIRES(mutex_) { return stopping_ || isOwns(); });
    if (holder_ != Holder::Waiter || waiters != waiters_)
      continue;
    resting_ = true; // a waiter that stays for long; to check from time to time would find nothing
    toOwn_.wait(lock,
                [this]() COPSE_REQUIRES(mutex_) { return stopping_ || holder_ != Holder::Waiter; });
    resting_ = false;
  }
  if (stopping_)
    return false;
  called_ = false;
  holder_ = Holder::Own;
  runner_ = std::this_thread::get_id();
  waiter_ = std::thread::id();
  return true;
}

void LoopPoller::endOwn() {
  const locks::Lock lock(mutex_);
  runner_ = std::thread::id();
  holder_ = Holder::None;
  if (wanted_)
    toWaiter_.notify_one();
}

bool LoopPoller::beginWaiter(Clock::time_point deadline) {
  locks::Lock lock(mutex_);
  if (holder_ == Holder::Own && Clock::now() < deadline) {
    wanted_ = true;
    interrupt_();
    toWaiter_.wait_until(lock, deadline,
                         [this]() COPSE_REQUIRES(mutex_) { return holder_ == Holder::None; });
    wanted_ = false;
  }
  if (stopping_ || holder_ != Holder::None)
    return false;
  called_ = false; // the waiter does the work for which call() was made
  ++waiters_;
  holder_ = Holder::Waiter;
  runner_ = waiter_ = std::this_thread::get_id();
  return true;
}

void LoopPoller::endWaiter() {
  const locks::Lock lock(mutex_);
  runner_ = std::thread::id();
  holder_ = Holder::None;
  left_ = Clock::now();
  if (resting_)
    toOwn_.notify_one();
  if (stopping_)
    toWaiter_.notify_all(); // stop() waits for it
}

void LoopPoller::call() {
  const locks::Lock lock(mutex_);
  if (holder_ == Holder::Waiter || called_)
    return;
  called_ = true;
  if (holder_ == Holder::None)
    toOwn_.notify_one();
}

void LoopPoller::stop() {
  locks::Lock lock(mutex_);
  stopping_ = true;
  interrupt_();
  toOwn_.notify_one();
  toWaiter_.notify_all();
  toWaiter_.wait(lock, [this]() COPSE_REQUIRES(mutex_) { return holder_ != Holder::Waiter; });
}

} // namespace copse::fabric
