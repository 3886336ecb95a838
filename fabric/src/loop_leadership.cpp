#include "fabric/loop_leadership.hpp"

namespace copse::fabric {

bool LoopLeadership::awaitOwn() {
  locks::Lock lock(mutex_);
  while (!stopping_ && !isOwns()) {
    const auto followers = followers_;
    toOwn_.wait_for(lock, kPatience,
                    [this]() COPSE_REQUIRES(mutex_) { return stopping_ || isOwns(); });
    if (holder_ != Holder::Follower || followers != followers_)
      continue;
    resting_ = true; // a waiter that stays for long; to check from time to time would find nothing
    toOwn_.wait(
        lock, [this]() COPSE_REQUIRES(mutex_) { return stopping_ || holder_ != Holder::Follower; });
    resting_ = false;
  }
  if (stopping_)
    return false;
  called_ = false;
  holder_ = Holder::Own;
  runner_ = std::this_thread::get_id();
  follower_ = std::thread::id();
  return true;
}

void LoopLeadership::endOwn() {
  const locks::Lock lock(mutex_);
  runner_ = std::thread::id();
  holder_ = Holder::Nobody;
  if (wanted_)
    toFollower_.notify_one();
}

bool LoopLeadership::beginFollower(Clock::time_point deadline) {
  locks::Lock lock(mutex_);
  if (holder_ == Holder::Own && Clock::now() < deadline) {
    wanted_ = true;
    interrupt_();
    toFollower_.wait_until(lock, deadline,
                           [this]() COPSE_REQUIRES(mutex_) { return holder_ == Holder::Nobody; });
    wanted_ = false;
  }
  if (stopping_ || holder_ != Holder::Nobody)
    return false;
  called_ = false; // the waiter does the work for which call() was made
  ++followers_;
  holder_ = Holder::Follower;
  runner_ = follower_ = std::this_thread::get_id();
  return true;
}

void LoopLeadership::endFollower() {
  const locks::Lock lock(mutex_);
  runner_ = std::thread::id();
  holder_ = Holder::Nobody;
  left_ = Clock::now();
  if (resting_)
    toOwn_.notify_one();
  if (stopping_)
    toFollower_.notify_all(); // stop() waits for it
}

void LoopLeadership::call() {
  const locks::Lock lock(mutex_);
  if (holder_ == Holder::Follower || called_)
    return;
  called_ = true;
  if (holder_ == Holder::Nobody)
    toOwn_.notify_one();
}

void LoopLeadership::stop() {
  locks::Lock lock(mutex_);
  stopping_ = true;
  interrupt_();
  toOwn_.notify_one();
  toFollower_.notify_all();
  toFollower_.wait(lock, [this]() COPSE_REQUIRES(mutex_) { return holder_ != Holder::Follower; });
}

} // namespace copse::fabric
