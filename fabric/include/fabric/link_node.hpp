#pragma once

#include "fabric/payload.hpp"
#include "fabric/topology.hpp"
#include "fabric/transport.hpp"
#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace copse::fabric {

/// How links behave. All times are wall-clock. Links in shared memory use only inboxBytes and
/// deadline.
struct LinkOptions {
  /// The window of one virtual channel of a link: the most packets and bytes that the receiver has
  /// not consumed. A packet that is larger than the window travels alone.
  std::uint32_t windowPackets = 64;
  std::uint64_t windowBytes = 16u << 20;
  /// The most bytes of one source that wait in the inbox; further packets wait in the links.
  std::uint64_t inboxBytes = std::uint64_t{1} << 30;
  /// How long an acknowledgement waits for a packet in the other direction that can carry it.
  std::chrono::milliseconds ackDelay{50};
  /// The pause between the second and the third transmission of a packet; doubles with each further
  /// one.
  std::chrono::milliseconds repairDelay{2};
  /// A peer is probed after it has acknowledged nothing for this time.
  std::chrono::milliseconds probeInterval{100};
  /// The longest silence of a peer that has data to acknowledge, or that is watched.
  std::chrono::milliseconds deadline{3'000};
  /// The slowest link that must work: the deadline grows by the time that such a link needs for the
  /// data in transit.
  std::uint64_t slowestBytesPerSecond = 50'000'000;
  bool checkPayload = false; ///< hash every payload and drop damaged ones
};

/// The position of a node in the partition, and the endpoints at which its neighbours listen.
struct LinkPlan {
  wire::Topology topology = wire::Topology::Mesh;
  std::uint32_t ipus = 1;
  wire::IpuId self;
  /// Must have the endpoints of all neighbours. Other IPUs' endpoints are ignored over a network;
  /// in shared memory they are needed for packets to these IPUs.
  std::map<wire::IpuId, Endpoint> endpoints;
  std::uint32_t epoch = 0; ///< the same on all nodes
  /// With keys: the name of each neighbour in the cluster. Only the node of that name may send for
  /// it.
  std::map<wire::IpuId, std::string> names{};
  // How domains are joined: see Wiring.
  std::uint32_t domain = 0;
  bool switched = false;

  Wiring wiring() const { return {topology, ipus, domain, switched}; }
};

/// Traffic of one link since connect().
struct LinkCounters {
  wire::IpuId neighbour;
  std::uint64_t packetsSent = 0, bytesSent = 0;         ///< without retransmissions
  std::uint64_t packetsReceived = 0, bytesReceived = 0; ///< in order, without repeats
  /// Packets received for other IPUs.
  std::uint64_t forwarded = 0;
  std::uint64_t resent = 0;  ///< retransmissions after a gap report
  std::uint64_t repeats = 0; ///< dropped: received before
  std::uint64_t refused = 0; ///< dropped: of another epoch, or not allowed to a neighbour
  std::uint64_t queued = 0;  ///< at present: packets that the neighbour has not consumed
};

/// One IPU's end of the IPU-Links: sends payloads to any IPU of the partition, and stores those
/// that arrive for this one. Packets of one source arrive in the order of sending, each exactly
/// once.
///
/// There are two kinds, chosen by the endpoint. Links over a network work whatever their transport
/// loses, repeats or reorders; nodes forward the packets of others. In shared memory packets go
/// straight to their receiver.
///
/// Life: bind(); pass endpoint() to the neighbours; connect(); send() and receive(); after a
/// failure reset() on all nodes with the next epoch; connect() again for another partition;
/// destroy.
///
/// Thread: payloadTo(), send() and receive() by one thread (the control program's); stop() and
/// counters() by any; all else by one thread at a time while no thread sends or receives. The node
/// has a thread of its own for the sockets.
class LinkNode {
public:
  using Clock = std::chrono::steady_clock;
  /// Reports, once per epoch and on the node's own thread, that a link is down; every send() and
  /// receive() fails with the same status from then on. Must not block or call the node.
  using OnFailure = std::function<void(const wire::Status &)>;

  /// \param transports  makes the transport of links over a network, such as linkTransports()
  /// \param listen  the endpoint to which neighbours connect
  static wire::Result<std::unique_ptr<LinkNode>> bind(const TransportFactory &transports,
                                                      const Endpoint &listen,
                                                      LinkOptions options = {},
                                                      OnFailure onFailure = {});
  virtual ~LinkNode() = default;

  /// Returns the endpoint to which neighbours connect.
  virtual const Endpoint &endpoint() const = 0;

  /// Connects to the neighbours of \p plan.
  /// \returns InvalidOption for a plan that is not valid or lacks a neighbour's endpoint
  virtual wire::Status connect(LinkPlan plan) = 0;

  /// Opens the rings to \p peers that are not neighbours. Without this call the first packet to a
  /// peer opens its ring. Once a ring is open, the end of its peer is detected at once. Does
  /// nothing over a network, nor for IPUs whose endpoint the plan does not have.
  /// \returns OutOfMemory; InvalidOption for an endpoint of another kind
  virtual wire::Status openDirectChannels(const std::vector<wire::IpuId> &peers) = 0;

  /// Returns memory for a payload that one send() will send to IPU \p to: in shared memory its
  /// bytes are not copied then. May wait briefly for room.
  virtual Payload payloadTo(wire::IpuId to, std::size_t bytes) = 0;

  /// Sends one payload to IPU \p to; blocks while there is no room. The payload arrives unless a
  /// later call fails.
  /// \returns
  ///   - Code::NotFound      no such IPU, or this one
  ///   - Code::Disconnected  a link of this node is down; names both ends
  ///   - the status of stop()
  virtual wire::Status send(wire::IpuId to, std::uint32_t tag, Payload payload) = 0;

  /// Receives the next payload from IPU \p from.
  /// \returns it, or
  ///   - Code::Internal      its tag is not \p tag: the control programs of the two have diverged.
  ///     The payload is not taken
  ///   - Code::Timeout       no payload arrived until \p deadline; names the IPU
  ///   - like send()
  virtual wire::Result<Payload> receive(wire::IpuId from, std::uint32_t tag,
                                        Clock::time_point deadline) = 0;

  /// Sets whether neighbours must be heard even when no packet is in transit to them: while \p on,
  /// they are probed several times within the deadline. A control program sets this while it runs,
  /// because it may wait for something other than a link. Any thread.
  virtual void watch(bool on) = 0;

  /// Makes all waiting calls, and those until reset(), fail with \p status. Has no effect after
  /// another stop() or a failed link.
  virtual void stop(wire::Status status) = 0;

  /// Forgets all packets, in transit or arrived, and any failure. From now on packets of other
  /// epochs are dropped; in shared memory, packets of later epochs wait.
  virtual void reset(std::uint32_t epoch) = 0;

  virtual std::vector<LinkCounters> counters() = 0;
  /// Returns how many messages since bind() were dropped because they were not valid messages of a
  /// neighbour.
  virtual std::uint64_t malformed() const = 0;
};

} // namespace copse::fabric
