#include "fabric/reactor.hpp"

#include <algorithm>
#include <pthread.h>
#include <utility>

namespace copse::fabric {

Reactor::Reactor(const std::string &name)
    : work_(asio::make_work_guard(io_)), poller_([this] { wake(); }), thread_([this] {
        for (; poller_.awaitOwn(); poller_.endOwn())
          runOwn();
      }) {
  pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
}

Reactor::~Reactor() { stop(); }

void Reactor::stop() {
  io_.stop();
  poller_.stop();
  if (thread_.joinable())
    thread_.join();
}

bool Reactor::workUntil(Clock::time_point deadline, const std::function<bool()> &done) {
  return workAsWaiter(deadline, done, Wait::Spinning);
}

bool Reactor::restUntil(Clock::time_point deadline, const std::function<bool()> &done) {
  return workAsWaiter(deadline, done, Wait::Asleep);
}

bool Reactor::workAsWaiter(Clock::time_point deadline, const std::function<bool()> &done,
                           Wait wait) {
  if (done())
    return true;
  const LoopPoller::Turn turn(poller_, deadline);
  while (!done())
    if (!turn || !workOnce(deadline, wait))
      return done();
  return true;
}

bool Reactor::workOnce(Clock::time_point deadline, Wait wait) {
  if (!watched_.empty())
    return workWatching(deadline, wait);
  return (Clock::now() < deadline ? io_.run_one_until(deadline) : io_.poll_one()) > 0;
}

/// \returns false if there is nothing to do until the deadline, or stop() was called
bool Reactor::workWatching(Clock::time_point deadline, Wait wait) {
  if (io_.stopped())
    return false;
  if (workNow())
    return true;
  if (Clock::now() >= deadline)
    return workOfAsio();
  if ((wait == Wait::Spinning && somethingComesSoon(deadline)) || mayNotSleep())
    return true;
  return io_.run_one_until(deadline) > 0;
}

bool Reactor::somethingComesSoon(Clock::time_point deadline) {
  return spinning_.until([this] { return posted_ || watchedHaveSomething(); }, deadline);
}

void Reactor::runOwn() {
  if (watched_.empty() || !(workNow() || mayNotSleep()))
    io_.run_one();
}

/// Does one piece of work of the watched memory, or work that was posted; every kTurnsOfWatched
/// turns, work of Asio's sockets and timers, too.
bool Reactor::workNow() {
  const bool isTurnOfAsio = posted_ || ++turnsOfWatched_ >= kTurnsOfWatched;
  return (isTurnOfAsio && workOfAsio()) || workOfWatched();
}

bool Reactor::workOfAsio() {
  turnsOfWatched_ = 0;
  posted_ = false;
  if (io_.poll_one() == 0)
    return false;
  posted_ = true; // there may be more than one handler
  return true;
}

bool Reactor::workOfWatched() {
  for (std::size_t i = 0; i < watched_.size(); ++i)
    watched_[i]->attend();
  for (std::size_t i = 0; i < watched_.size(); ++i)
    if (watched_[i]->hasSomething()) {
      std::rotate(watched_.begin(), watched_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                  watched_.end());          // the others have their turns before it
      const auto watched = watched_.back(); // a handler may end it
      watched->work();
      return true;
    }
  return false;
}

bool Reactor::watchedHaveSomething() const {
  return std::any_of(watched_.begin(), watched_.end(),
                     [](const auto &watched) { return watched->hasSomething(); });
}

/// Announces that the loop sleeps, so that peers wake it.
/// \returns true if data came before the announcement
bool Reactor::mayNotSleep() {
  for (const auto &watched : watched_)
    watched->announceSleep();
  return watchedHaveSomething();
}

void Reactor::watch(std::shared_ptr<Watched> watched) { watched_.push_back(std::move(watched)); }

void Reactor::unwatch(const Watched &watched) {
  std::erase_if(watched_, [&](const auto &one) { return one.get() == &watched; });
}

} // namespace copse::fabric
