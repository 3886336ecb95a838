#include "poplar/StreamCallback.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace poplar {

void ResumableStreamCallback::fetch(void *p) {
  // Soon at first, since most waits are short; then so seldom that waiting costs nothing.
  constexpr std::chrono::microseconds kFirst{10}, kLast{1000};
  for (auto pause = kFirst; resume(p) != Success; pause = std::min(2 * pause, kLast))
    std::this_thread::sleep_for(pause);
}

} // namespace poplar
