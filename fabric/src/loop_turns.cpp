#include "fabric/loop_turns.hpp"

namespace copse::fabric {

bool LoopTurns::awaitOwn() {
  std::unique_lock lock(mutex_);
  while (!stopping_ && !isOwns()) {
    const auto guests = guests_;
    toOwn_.wait_for(lock, kPatience, [this] { return stopping_ || isOwns(); });
    if (holder_ != Holder::Guest || guests != guests_)
      continue;
    resting_ = true; // one that stays for long; looking from time to time would be for nothing
    toOwn_.wait(lock, [this] { return stopping_ || holder_ != Holder::Guest; });
    resting_ = false;
  }
  if (stopping_)
    return false;
  called_ = false;
  holder_ = Holder::Own;
  runner_ = std::this_thread::get_id();
  guest_ = std::thread::id();
  return true;
}

void LoopTurns::endOwn() {
  const std::lock_guard lock(mutex_);
  runner_ = std::thread::id();
  holder_ = Holder::Nobody;
  if (wanted_)
    toGuest_.notify_one();
}

bool LoopTurns::beginGuest(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  if (holder_ == Holder::Own && Clock::now() < deadline) {
    wanted_ = true;
    interrupt_();
    toGuest_.wait_until(lock, deadline, [this] { return holder_ == Holder::Nobody; });
    wanted_ = false;
  }
  if (stopping_ || holder_ != Holder::Nobody)
    return false;
  called_ = false; // the guest does what the own thread was called for
  ++guests_;
  holder_ = Holder::Guest;
  runner_ = guest_ = std::this_thread::get_id();
  return true;
}

void LoopTurns::endGuest() {
  const std::lock_guard lock(mutex_);
  runner_ = std::thread::id();
  holder_ = Holder::Nobody;
  left_ = Clock::now();
  if (resting_)
    toOwn_.notify_one();
  if (stopping_)
    toGuest_.notify_all(); // stop() waits
}

void LoopTurns::call() {
  const std::lock_guard lock(mutex_);
  if (holder_ == Holder::Guest || called_)
    return;
  called_ = true;
  if (holder_ == Holder::Nobody)
    toOwn_.notify_one();
}

void LoopTurns::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  interrupt_();
  toOwn_.notify_one();
  toGuest_.notify_all();
  toGuest_.wait(lock, [this] { return holder_ != Holder::Guest; });
}

} // namespace copse::fabric
