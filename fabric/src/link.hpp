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
/// deadline. The link moves packets between its windows and the transport; the node moves them
/// between the windows of different links.
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

  /// Handles a message of this neighbour and epoch.
  /// \returns success, or the reason why the link has failed
  wire::Status handle(const wire::Envelope &envelope, Payload payload, Clock::time_point now);

  /// Returns the credit for one packet of \p channel, which the node has passed on, to its sender.
  void consumed(std::size_t channel, std::size_t payloadBytes, Clock::time_point now);

  /// Probes the neighbour because a packet of \p payloadBytes waits for room in a window. Does so
  /// only if the packet needs more room than the acknowledgements that arrive without a probe can
  /// make, and once until the neighbour acknowledges something.
  void askForRoom(std::size_t payloadBytes);

  /// Sends the packets that may be sent now, and an acknowledgement if enough packets wait for it.
  void transmit(Clock::time_point now);

  /// Probes the neighbour while no packet is in transit to it.
  /// \returns Disconnected if the neighbour was silent for the deadline, counted from the first
  ///   call after one with \p on false
  wire::Status watch(bool on, Clock::time_point now);

  /// Performs what is due: probes, gap reports, acknowledgements.
  /// \returns Disconnected if the neighbour has been silent for too long
  wire::Status tick(Clock::time_point now);
  /// Returns when tick() must be called; nothing if it need not be called before the next message.
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
  // Returns a number that grows whenever the neighbour acknowledges or consumes something.
  std::uint64_t settled() const { return out_[0].settled() + out_[1].settled(); }

  Transport &transport_;
  const LinkOptions &options_;
  wire::IpuId self_;
  std::uint32_t epoch_;
  std::array<SendWindow, wire::kChannels> out_;
  std::array<ReceiveWindow, wire::kChannels> in_;
  LinkCounters counters_;

  // Arrivals and credits that the neighbour has not been told about.
  std::uint32_t owedPackets_ = 0;
  std::uint64_t owedBytes_ = 0;
  bool ackNow_ = false;
  Clock::time_point owedSince_{};

  Clock::time_point gapReportedAt_{};
  unsigned gapReports_ = 0; // reports by the timer since a packet arrived in order

  bool waiting_ = false; // until the neighbour acknowledges or consumes everything
  // When the neighbour last acknowledged something, or the waiting began.
  Clock::time_point progressAt_{};
  Clock::time_point heardAt_{};
  Clock::time_point probedAt_{};
  std::optional<Clock::time_point> watchedSince_;
  unsigned probes_ = 0;       // since progressAt_
  bool askedForRoom_ = false; // since progressAt_
};

} // namespace copse::fabric
