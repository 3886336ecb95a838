#pragma once

#include "inbox.hpp"

#include "fabric/link_node.hpp"
#include "fabric/payload.hpp"
#include "fabric/transport.hpp"
#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace copse::fabric {

/// Packets between a node and the other ends of its ways in memory. They go past links: such a way does itself what windows and
/// acknowledgements do elsewhere.
///
/// Thread: begin() and open() while nobody sends or receives; send() and receive() the control program's; take() any, one at a time; the
/// rest any.
class DirectPackets {
public:
  using Clock = LinkNode::Clock;

  /// \param patience  a sender that waits for room looks again after so long
  DirectPackets(DirectWays &ways, Inbox &inbox, std::chrono::milliseconds patience)
      : ways_(ways), inbox_(inbox), patience_(patience) {}

  /// No way leads anywhere, until open().
  void begin(wire::IpuId self, std::uint32_t ipus, std::uint32_t epoch);
  void open(wire::IpuId ipu) { of(ipu).open = true; }
  bool leadTo(wire::IpuId ipu) const { return ipu.value < peers_.size() && of(ipu).open; }

  /// Sends to an IPU to which a way leads, and waits while that is full.
  /// \returns Kept; Full: the inbox has failed meanwhile; Unreachable: the other end has broken the way
  Handover send(wire::IpuId to, std::uint32_t tag, Payload payload);
  /// As LinkNode::receive(). Also takes what has come through links.
  wire::Result<Payload> receive(wire::IpuId from, std::uint32_t tag, Clock::time_point deadline);

  enum class Taken : std::uint8_t { Yes, NoRoom, Never };
  /// Takes a packet of this epoch into the inbox.
  /// \returns NoRoom: it is as it was; Never: it is not for this node, or from an IPU to which no way leads
  Taken take(DirectPacket &packet, Inbox::Room room);

  void addTo(LinkCounters &counters) const;

  /// A sender waits for room on the way to \p ipu.
  bool waitFor(wire::IpuId ipu) const { return waitsFor_ == ipu.value; }
  /// Whether \p ipu has made room for a sender that waited, since this was asked last.
  bool gotRoomAt(wire::IpuId ipu) { return of(ipu).madeRoom.exchange(false); }
  /// The last packet of \p ipu has no room, and holds up what is behind it.
  bool areHeldUp(wire::IpuId ipu) const { return of(ipu).heldUp; }

private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  struct Peer {
    bool open = false;
    std::atomic<bool> heldUp{false}, madeRoom{false};
    // Each is changed by one thread at a time.
    std::atomic<std::uint64_t> packetsSent{0}, bytesSent{0}, packetsReceived{0}, bytesReceived{0};
  };
  /// The packet that a receive() waits for.
  struct Awaited {
    wire::IpuId from;
    std::uint32_t tag;
    std::optional<Payload> payload; ///< once it has come
  };

  Peer &of(wire::IpuId ipu) { return peers_[ipu.value]; }
  const Peer &of(wire::IpuId ipu) const { return peers_[ipu.value]; }
  Handover insist(const DirectPacket &packet);
  bool takeAwaited(DirectPacket &packet, Awaited &awaited);
  bool isOurs(const DirectPacket &packet) const {
    return packet.to == self_ && leadTo(packet.from);
  }
  void noteTaken(wire::IpuId from, std::size_t bytes);

  DirectWays &ways_;
  Inbox &inbox_;
  const std::chrono::milliseconds patience_;
  wire::IpuId self_;
  std::uint32_t epoch_ = 0;
  std::vector<Peer> peers_; ///< by IPU
  std::atomic<std::uint32_t> waitsFor_{kNobody};
};

} // namespace copse::fabric
