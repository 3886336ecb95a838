#include "tile/watchdog.hpp"

#include <algorithm>

namespace copse::ipud {

using namespace std::chrono_literals;

Watchdog::Watchdog(Dispatcher &dispatcher, std::chrono::milliseconds timeout)
    : dispatcher_(dispatcher), timeout_(timeout),
      period_(std::clamp<std::chrono::milliseconds>(timeout / 4, 1ms, 50ms)),
      thread_([this] { loop(); }) {}

Watchdog::~Watchdog() {
  {
    const locks::Lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

Watchdog::Watch::Watch(Watchdog &watchdog, const Environment &environment) : watchdog_(watchdog) {
  watchdog_.dispatcher_.attachCaller();
  {
    const locks::Lock lock(watchdog_.mutex_);
    watchdog_.environment_ = &environment;
    watchdog_.timedOut_ = false;
  }
  watchdog_.changed_.notify_one();
}

Watchdog::Watch::~Watch() {
  {
    const locks::Lock lock(watchdog_.mutex_);
    watchdog_.environment_ = nullptr;
  }
  watchdog_.dispatcher_.detachCaller();
}

void Watchdog::loop() {
  locks::Lock lock(mutex_);
  while (!ending_) {
    if (environment_ == nullptr) {
      changed_.wait(lock);
      continue;
    }
    changed_.wait_for(lock, period_);
    if (environment_ != nullptr)
      look();
  }
}

void Watchdog::look() {
  const auto epoch = dispatcher_.epoch();
  const auto now = Clock::now();
  if (epoch != epoch_) {
    epoch_ = epoch;
    since_ = now;
    return; // a new compute set: let it finish by itself
  }
  const bool running = epoch % 2 == 1;
  if (running && now - since_ >= timeout_)
    timedOut_ = true;
  if (running && (timedOut_ || environment_->stopRequested()))
    dispatcher_.interrupt(epoch);
}

} // namespace copse::ipud
