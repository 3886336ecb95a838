#include "send_window.hpp"

#include <algorithm>
#include <cassert>

namespace copse::fabric {

bool SendWindow::hasRoom(std::size_t payloadBytes) const {
  return entries_.empty() ||
         (entries_.size() < packets_ && bytesUnconsumed_ + payloadBytes <= bytes_);
}

void SendWindow::push(Packet packet) {
  const std::size_t size = packet.payload.size();
  assert(hasRoom(size));
  bytesUnconsumed_ += size;
  bytesUnacknowledged_ += size;
  Entry entry;
  entry.packet = std::move(packet);
  entry.payloadBytes = size;
  entries_.push_back(std::move(entry));
}

SendWindow::Outgoing SendWindow::outgoing() {
  assert(somethingToTransmit());
  if (missing_ > 0)
    for (std::uint64_t sequence = expected_; sequence < transmitted_; ++sequence)
      if (entry(sequence).missing)
        return {sequence, entry(sequence).packet, true};
  return {transmitted_, entry(transmitted_).packet, false};
}

void SendWindow::transmitted(const Outgoing &gone, Clock::time_point now) {
  Entry &sent = entry(gone.sequence);
  sent.sentAt = now;
  ++sent.sends;
  if (gone.again) {
    sent.missing = false;
    --missing_;
  } else {
    ++transmitted_;
  }
}

bool SendWindow::acknowledge(const wire::Received &peer, Clock::time_point now) {
  if (peer.expected > transmitted_ || peer.consumed > peer.expected || peer.held > transmitted_)
    return false;
  for (; expected_ < peer.expected; ++expected_) {
    Entry &arrived = entry(expected_);
    missing_ -= arrived.missing ? 1 : 0;
    arrived.missing = false;
    bytesUnacknowledged_ -= arrived.payloadBytes;
    arrived.packet.payload = Payload(); // the peer has it, so this copy is no longer needed
  }
  for (; base_ < peer.consumed; ++base_) {
    bytesUnconsumed_ -= entries_.front().payloadBytes;
    entries_.pop_front();
  }
  // Begins at expected_, as an old message may arrive late.
  for (std::uint64_t s = std::max(expected_, peer.expected); s < peer.held; ++s) {
    Entry &gap = entry(s);
    if (!gap.missing && mayGoAgain(gap, now)) {
      gap.missing = true;
      ++missing_;
    }
  }
  return true;
}

bool SendWindow::mayGoAgain(const Entry &sent, Clock::time_point now) const {
  constexpr unsigned kMostDoublings = 8;
  return sent.sends == 1 ||
         now - sent.sentAt >= pause_ * (1u << std::min(sent.sends - 2, kMostDoublings));
}

} // namespace copse::fabric
