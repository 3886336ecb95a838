#include "receive_window.hpp"

#include <algorithm>
#include <cassert>

namespace copse::fabric {

ReceiveWindow::Verdict ReceiveWindow::accept(std::uint64_t sequence, Packet packet) {
  if (sequence < expected_ || early_.contains(sequence))
    return Verdict::Repeat;
  if (sequence - consumed_ >= packets_)
    return Verdict::Beyond;
  if (sequence > expected_) {
    early_.emplace(sequence, std::move(packet));
    return Verdict::Early;
  }
  ready_.push_back(std::move(packet));
  ++expected_;
  while (!early_.empty() && early_.begin()->first == expected_) {
    ready_.push_back(std::move(early_.begin()->second));
    early_.erase(early_.begin());
    ++expected_;
  }
  return Verdict::Ready;
}

void ReceiveWindow::pop() {
  assert(ready());
  ready_.pop_front();
  ++consumed_;
}

void ReceiveWindow::probed(std::uint64_t next) {
  // An honest peer cannot have sent more than the window allows.
  peerSent_ = std::max(peerSent_, std::min(next, consumed_ + packets_));
}

std::uint64_t ReceiveWindow::held() const {
  return early_.empty() ? peerSent_ : early_.begin()->first;
}

} // namespace copse::fabric
