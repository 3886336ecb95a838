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

/// How links behave. All times are wall-clock. Those in shared memory know only inboxBytes and
/// deadline.
struct LinkOptions {
  std::uint32_t windowPackets = 64;      ///< unconsumed packets per link and virtual channel
  std::uint64_t windowBytes = 16u << 20; ///< ... and bytes; one larger packet travels alone
  std::uint64_t inboxBytes = std::uint64_t{1}
                             << 30; ///< of one source, before its packets wait in the links
  std::chrono::milliseconds ackDelay{
      50}; ///< longest wait for a packet that could carry the acknowledgement
  std::chrono::milliseconds repairDelay{2};     ///< between sending a packet again and once more
  std::chrono::milliseconds probeInterval{100}; ///< unacknowledged for so long: ask the peer
  std::chrono::milliseconds deadline{
      3'000}; ///< unacknowledged data and a silent peer, or a watched one: the link is down
  std::uint64_t slowestBytesPerSecond =
      50'000'000;            ///< the deadline is longer by what such a link needs
  bool checkPayload = false; ///< hash every payload and drop damaged ones
};

/// The place of a node, and the endpoints at which its neighbours listen.
struct LinkPlan {
  wire::Topology topology = wire::Topology::Mesh;
  std::uint32_t ipus = 1;
  wire::IpuId self;
  /// Has the endpoints of all neighbours, at least. Other IPUs' endpoints are ignored over a
  /// network, and needed in shared memory for packets to these IPUs.
  std::map<wire::IpuId, Endpoint> endpoints;
  std::uint32_t epoch = 0; ///< the same on all nodes
  /// With keys: what the cluster calls each neighbour, which only the one of that name may speak
  /// for.
  std::map<wire::IpuId, std::string> names{};
  // How domains are joined: see Wiring.
  std::uint32_t domain = 0;
  bool switched = false;

  Wiring wiring() const { return {topology, ipus, domain, switched}; }
};

/// Traffic of one link since connect().
struct LinkCounters {
  wire::IpuId neighbour;
  std::uint64_t packetsSent = 0, bytesSent = 0;         ///< resends not counted
  std::uint64_t packetsReceived = 0, bytesReceived = 0; ///< in order, repeats not counted
  std::uint64_t forwarded = 0;                          ///< of those received: for other IPUs
  std::uint64_t resent = 0;                             ///< after a gap report
  std::uint64_t repeats = 0;                            ///< dropped: had come before
  std::uint64_t refused = 0; ///< dropped: of another epoch, or what a neighbour must not send
  std::uint64_t queued = 0;  ///< now: packets that the neighbour has not consumed yet
};

/// One IPU's end of the IPU-Links: sends payloads to any IPU of the partition, and keeps what comes
/// for this one. Packets of one source arrive in the order of sending, each exactly once.
///
/// There are two kinds, which the endpoint decides. Links over a network work whatever its
/// transport loses, repeats or reorders; nodes forward the packets of others. In shared memory
/// packets go straight to their receiver.
///
/// Life: bind(); hand endpoint() to the neighbours; connect(); send() and receive(); after a
/// failure reset() on all nodes with the next epoch; connect() again for another partition;
/// destroy.
///
/// Thread: payloadTo(), send() and receive() by one thread (the control program's); stop() and counters() by
/// any; all else by one thread at a time while nobody sends or receives. The node has a thread of
/// its own for the sockets.
class LinkNode {
public:
  using Clock = std::chrono::steady_clock;
  /// Told once per epoch, on the node's own thread, that a link is down; every send() and receive()
  /// fails with the same status from then on. Must not block or call the node.
  using OnFailure = std::function<void(const wire::Status &)>;

  /// \param transports  make what carries the messages over a network, such as linkTransports()
  /// \param listen      where neighbours are to connect to
  static wire::Result<std::unique_ptr<LinkNode>> bind(const TransportFactory &transports,
                                                      const Endpoint &listen,
                                                      LinkOptions options = {},
                                                      OnFailure onFailure = {});
  virtual ~LinkNode() = default;

  /// Where neighbours connect to.
  virtual const Endpoint &endpoint() const = 0;

  /// Joins the links.
  /// \returns InvalidOption for a plan that makes no sense or lacks a neighbour's endpoint
  virtual wire::Status connect(LinkPlan plan) = 0;

  /// Opens, in shared memory, the rings to \p peers that are no neighbours; otherwise the first
  /// packet does. From then on the end of a peer is noticed at once. Does nothing over a network,
  /// and for IPUs whose endpoint the plan does not tell.
  /// \returns OutOfMemory; InvalidOption for an endpoint of another kind
  virtual wire::Status openShortcuts(const std::vector<wire::IpuId> &peers) = 0;

  /// Memory for a payload that goes to IPU \p to, in one send(): in shared memory its bytes are
  /// not copied then. May wait for a moment until there is room.
  virtual Payload payloadTo(wire::IpuId to, std::size_t bytes) = 0;

  /// Puts one payload on its way to IPU \p to; blocks while that is full. Delivery is certain
  /// unless a later call fails.
  /// \returns
  ///   - Code::NotFound      no such IPU, or this one
  ///   - Code::Disconnected  a link of this node is down; names both ends
  ///   - the status that stop() was given
  virtual wire::Status send(wire::IpuId to, std::uint32_t tag, Payload payload) = 0;

  /// The next payload from IPU \p from.
  /// \returns it, or
  ///   - Code::Internal      its tag is not \p tag: the control programs of the two have diverged.
  ///   It stays
  ///   - Code::Timeout       nothing came until \p deadline; names the IPU
  ///   - as send()
  virtual wire::Result<Payload> receive(wire::IpuId from, std::uint32_t tag,
                                        Clock::time_point deadline) = 0;

  /// While \p on, neighbours must be heard of even when nothing is on its way to them: they are
  /// looked after several times within the deadline. For the time in which a control program runs,
  /// which may be waiting for something else than a link. Any thread.
  virtual void watch(bool on) = 0;

  /// Releases everybody who waits, now and until reset(), with \p status. A second call, or one
  /// after a failed link, changes nothing.
  virtual void stop(wire::Status status) = 0;

  /// Forgets all packets, on their way or arrived, and any failure. Packets of other epochs are
  /// dropped from now on; in shared memory, those of epochs to come wait.
  virtual void reset(std::uint32_t epoch) = 0;

  virtual std::vector<LinkCounters> counters() = 0;
  /// Messages that were dropped because they were no sound message of a neighbour. Since bind().
  virtual std::uint64_t malformed() const = 0;
};

} // namespace copse::fabric
