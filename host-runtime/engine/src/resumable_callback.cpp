#include "poplar/StreamCallback.hpp"

#include <algorithm>
#include <chrono>

namespace poplar {

void ResumableStreamCallback::fetch(void *p) {
  // Poll often at first, because most waits are short, and then so rarely that polling costs
  // nothing.
  constexpr std::chrono::microseconds kFirst{10}, kLast{1000};
  for (auto pause = kFirst; resume(p) != Success; pause = std::min(2 * pause, kLast)) {
    std::unique_lock lock(mutex_);
    awaiting_ = true;
    notified_.wait_for(lock, pause, [this] { return !awaiting_; });
    awaiting_ = false;
  }
}

void ResumableStreamCallback::notify() {
  const std::lock_guard lock(mutex_);
  awaiting_ = false;
  notified_.notify_all();
}

bool ResumableStreamCallback::isAwaiting() const {
  const std::lock_guard lock(mutex_);
  return awaiting_;
}

} // namespace poplar
