#pragma once

#include "receive_window.hpp"
#include "send_window.hpp"

#include "fabric/link_node.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <string>

namespace copse::fabric {

/// Both directions of the IPU-Link to one neighbour: windows, acknowledgements, probes and the
/// deadline. It moves packets between the windows and the transport; the node moves them between
/// windows.
///
/// Thread: the node's.
class Link {
public:
  using Clock = std::chrono::steady_clock;

  Link(Transport &transport, const LinkOptions &options, wire::IpuId self, wire::IpuId neighbour,
       std::uint32_t epoch);

  wire::IpuId neighbour() const { return counters_.neighbour; }
  SendWindow &out(std::size_t channel) { return out_[channel]; }
  ReceiveWindow &in(std::size_t channel) { return in_[channel]; }
  LinkCounters &counters() { return counters_; }

  /// Takes a message of this neighbour and epoch.
  /// \returns why the link cannot go on, or success
  wire::Status handle(const wire::Envelope &envelope, Payload payload, Clock::time_point now);

  /// One packet of channel \p channel has been passed on; its sender gets its credit back.
  void consumed(std::size_t channel, std::size_t payloadBytes, Clock::time_point now);

  /// A packet of so many bytes waits for room in a window. The neighbour is asked for an acknowledgement, once until it
  /// acknowledges something, if this packet may need more room than acknowledgements make that come without asking.
  void askForRoom(std::size_t payloadBytes);

  /// Puts on the wire what may go now, and an acknowledgement if much is owed.
  void transmit(Clock::time_point now);

  /// Asks the neighbour for a sign of life, while nothing is on its way to it.
  /// \returns Disconnected if there was none for too long, counted from the first call after one
  ///   with \p on false
  wire::Status watch(bool on, Clock::time_point now);

  /// Does what is due.
  /// \returns Disconnected if the neighbour has been silent for too long
  wire::Status tick(Clock::time_point now);
  /// When tick() has to be called; nothing: not before something happens.
  std::optional<Clock::time_point> due() const;

  /// Tells the neighbour that this node cannot work with it.
  void refuse(const wire::Status &why);

private:
  void handlePacket(const wire::Envelope &envelope, const wire::Packet &packet, Payload payload,
                    Clock::time_point now);
  void owe(std::size_t payloadBytes, Clock::time_point now);
  bool sendPacket(std::size_t channel, Clock::time_point now);
  void nothingOwed();
  bool sendBare(decltype(wire::Envelope::body) body);
  bool sendProbe();
  wire::Envelope envelope() const;
  wire::Status down(const std::string &what) const;
  Clock::time_point downAt() const;
  Clock::time_point probeAt() const;
  Clock::time_point gapReportAt() const;
  bool gap() const { return in_[0].gap() || in_[1].gap(); }
  bool unsettled() const { return out_[0].unsettled() || out_[1].unsettled(); }

  bool unacknowledged() const { return out_[0].unacknowledged() || out_[1].unacknowledged(); }
  // Grows whenever the neighbour acknowledges or consumes something.
  std::uint64_t settled() const { return out_[0].settled() + out_[1].settled(); }

  Transport &transport_;
  const LinkOptions &options_;
  wire::IpuId self_;
  std::uint32_t epoch_;
  std::array<SendWindow, wire::kChannels> out_;
  std::array<ReceiveWindow, wire::kChannels> in_;
  LinkCounters counters_;

  // What the neighbour has not been told yet.
  std::uint32_t owedPackets_ = 0;
  std::uint64_t owedBytes_ = 0;
  bool ackNow_ = false;
  Clock::time_point owedSince_{};

  Clock::time_point gapReportedAt_{};
  unsigned gapReports_ = 0; // by the timer, since a packet came in order

  bool waiting_ = false;           // for the neighbour to acknowledge or consume something
  Clock::time_point progressAt_{}; // when it last did so, or the waiting began
  Clock::time_point heardAt_{};
  Clock::time_point probedAt_{};
  std::optional<Clock::time_point> watchedSince_;
  unsigned probes_ = 0;       // since progressAt_
  bool askedForRoom_ = false; // since progressAt_
};

} // namespace copse::fabric
