#pragma once

#include "packet.hpp"

#include <chrono>
#include <cstdint>
#include <deque>

namespace copse::fabric {

/// The outbound half of one virtual channel of a link: numbers packets, keeps those that are not
/// acknowledged, and knows which must be sent. Has no sockets, and no clock of its own.
class SendWindow {
public:
  using Clock = std::chrono::steady_clock;

  /// \param pause  between the second transmission of a packet and the third; doubles with each
  ///   further one
  SendWindow(std::uint32_t packets, std::uint64_t bytes, Clock::duration pause)
      : packets_(packets), bytes_(bytes), pause_(pause) {}

  /// Returns true if the peer has room for one more packet of this size. An empty window has room
  /// for any packet.
  bool hasRoom(std::size_t payloadBytes) const;
  /// Gives the packet the next sequence. Only while there is room.
  void push(Packet packet);

  struct Outgoing {
    std::uint64_t sequence;
    Packet &packet; ///< share the payload, do not take it
    bool again;
  };
  bool somethingToTransmit() const { return missing_ > 0 || transmitted_ < next(); }
  /// Returns the packet to send now: a missing one, else the first that was never sent. Only if
  /// there is something to transmit.
  Outgoing outgoing();
  /// Records that the packet of outgoing() was sent.
  void transmitted(const Outgoing &gone, Clock::time_point now);

  /// Handles the peer's report. Packets that the peer misses are marked for retransmission: at once
  /// the first time, then after growing pauses. A report says what was missing a round trip ago;
  /// without the pauses, outdated reports would flood a slow connection with retransmissions.
  /// \returns false if the report names packets that were never sent
  bool acknowledge(const wire::Received &peer, Clock::time_point now);

  std::uint64_t next() const { return base_ + entries_.size(); }
  /// Returns the sequence of the next packet that was never sent.
  std::uint64_t transmittedEnd() const { return transmitted_; }
  /// Returns true if the peer has not consumed some packet.
  bool unsettled() const { return !entries_.empty(); }
  std::size_t packets() const { return entries_.size(); } ///< packets that are not consumed
  /// Returns true if some packet has not reached the peer.
  bool unacknowledged() const { return expected_ < next(); }
  std::uint64_t bytesUnacknowledged() const { return bytesUnacknowledged_; }
  /// Returns a number that grows with every packet that the peer acknowledges or consumes.
  std::uint64_t settled() const { return base_ + expected_; }

private:
  struct Entry {
    Packet packet;
    std::size_t payloadBytes = 0;
    Clock::time_point sentAt{};
    unsigned sends = 0;
    bool missing = false;
  };
  bool mayGoAgain(const Entry &sent, Clock::time_point now) const;
  Entry &entry(std::uint64_t sequence) { return entries_[sequence - base_]; }

  std::uint32_t packets_;
  std::uint64_t bytes_;
  Clock::duration pause_;
  std::deque<Entry>
      entries_; // [base_, next()): not consumed; below expected_ without their payload
  std::uint64_t base_ = 0, expected_ = 0, transmitted_ = 0;
  std::uint64_t bytesUnconsumed_ = 0, bytesUnacknowledged_ = 0;
  std::size_t missing_ = 0;
};

} // namespace copse::fabric
