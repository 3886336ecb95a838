#include "fabric/reactor.hpp"

#include <pthread.h>

namespace copse::fabric {

/// A guest's time in the loop.
class Reactor::Turn {
public:
  /// Takes the loop, from the own thread if need be; not if that is not there until \p deadline.
  Turn(Reactor &reactor, Clock::time_point deadline) : reactor_(reactor) {
    std::unique_lock lock(reactor_.mutex_);
    if (reactor_.holder_ == Holder::Own) {
      reactor_.wanted_ = true;
      reactor_.wake();
      reactor_.released_.wait_until(lock, deadline,
                                    [&] { return reactor_.holder_ == Holder::Nobody; });
      reactor_.wanted_ = false;
    }
    if (reactor_.stopping_ || reactor_.holder_ != Holder::Nobody)
      return;
    taken_ = true;
    ++reactor_.turns_;
    reactor_.needed_ = false;
    reactor_.holder_ = Holder::Guest;
    reactor_.runner_ = reactor_.guest_ = std::this_thread::get_id();
  }
  ~Turn() {
    if (!taken_)
      return;
    const std::lock_guard lock(reactor_.mutex_);
    reactor_.runner_ = std::thread::id();
    reactor_.holder_ = Holder::Nobody;
    reactor_.left_ = Clock::now();
    if (reactor_.resting_)
      reactor_.called_.notify_one();
    if (reactor_.stopping_)
      reactor_.released_.notify_all();
  }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

  bool taken() const { return taken_; }

private:
  Reactor &reactor_;
  bool taken_ = false;
};

Reactor::Reactor(const std::string &name)
    : work_(asio::make_work_guard(io_)), thread_([this] { serve(); }) {
  pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
}

Reactor::~Reactor() { stop(); }

void Reactor::stop() {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    called_.notify_one();
    io_.stop();
    released_.wait(lock, [this] { return holder_ != Holder::Guest; });
  }
  if (thread_.joinable())
    thread_.join();
}

bool Reactor::workUntil(Clock::time_point deadline, const std::function<bool()> &done) {
  if (done())
    return true;
  const Turn turn(*this, deadline);
  while (!done())
    if (!turn.taken() || !workOnce(deadline))
      return done();
  return true;
}

bool Reactor::workOnce(Clock::time_point deadline) {
  return (Clock::now() < deadline ? io_.run_one_until(deadline) : io_.poll_one()) > 0;
}

void Reactor::serve() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (wanted_ || holder_ == Holder::Guest) {
      leaveToGuest(lock);
      continue;
    }
    if (!needed_ && Clock::now() < left_ + kPatience) {
      called_.wait_until(lock, left_ + kPatience);
      continue;
    }
    needed_ = false;
    holder_ = Holder::Own;
    guest_ = std::thread::id();
    runner_ = std::this_thread::get_id();
    lock.unlock();
    io_.run_one();
    lock.lock();
    runner_ = std::thread::id();
    holder_ = Holder::Nobody;
    if (wanted_)
      released_.notify_all();
  }
}

/// A guest says nothing when it leaves, for it will be back soon: so this looks from time to time,
/// until one stays for longer.
void Reactor::leaveToGuest(std::unique_lock<std::mutex> &lock) {
  const auto turn = turns_;
  const auto changed = [&] {
    return stopping_ || needed_ || turns_ != turn || (!wanted_ && holder_ != Holder::Guest);
  };
  if (called_.wait_for(lock, kPatience, changed))
    return;
  resting_ = true;
  called_.wait(lock, changed);
  resting_ = false;
}

void Reactor::attend() {
  const std::lock_guard lock(mutex_);
  if (holder_ != Holder::Nobody || needed_)
    return;
  needed_ = true;
  called_.notify_one();
}

} // namespace copse::fabric
