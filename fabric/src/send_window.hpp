#pragma once

#include "packet.hpp"

#include <chrono>
#include <cstdint>
#include <deque>

namespace copse::fabric {

/// The outbound half of one virtual channel of a link: numbers packets, keeps those that are not
/// acknowledged, and knows which have to go on the wire. No sockets, no clock of its own.
class SendWindow {
public:
  using Clock = std::chrono::steady_clock;

  /// \param pause  between the second sending of a packet and the third; doubles with each further
  /// one
  SendWindow(std::uint32_t packets, std::uint64_t bytes, Clock::duration pause)
      : packets_(packets), bytes_(bytes), pause_(pause) {}

  /// Whether the peer has room for one more packet of this size. A window that is empty takes any.
  bool hasRoom(std::size_t payloadBytes) const;
  /// Gives the packet the next sequence. Only while there is room.
  void push(Packet packet);

  struct Outgoing {
    std::uint64_t sequence;
    Packet &packet; ///< share the payload, do not take it
    bool again;
  };
  bool somethingToTransmit() const { return missing_ > 0 || transmitted_ < next(); }
  /// The packet to put on the wire now: a missing one, else the first that has not been there. Only
  /// if there is something to transmit.
  Outgoing outgoing();
  /// The packet of outgoing() went on the wire.
  void transmitted(const Outgoing &gone, Clock::time_point now);

  /// Takes the peer's word. What it misses is marked for sending again: at once the first time,
  /// then after pauses that grow. A report says what was missing a round trip ago; without the
  /// pauses, a slow way would be flooded by answers to reports that are out of date.
  /// \returns false if it speaks of packets that were never sent
  bool acknowledge(const wire::Received &peer, Clock::time_point now);

  std::uint64_t next() const { return base_ + entries_.size(); }
  /// Sequence of the next packet that has never been on the wire.
  std::uint64_t transmittedEnd() const { return transmitted_; }
  /// Some packet has not been consumed by the peer.
  bool unsettled() const { return !entries_.empty(); }
  std::size_t packets() const { return entries_.size(); } ///< not consumed
  /// Some packet has not come to the peer.
  bool unacknowledged() const { return expected_ < next(); }
  std::uint64_t bytesUnacknowledged() const { return bytesUnacknowledged_; }
  /// Grows with every packet that the peer acknowledges or consumes.
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
