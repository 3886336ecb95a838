#pragma once

#include "doorbell.hpp"
#include "inbound_ring.hpp"
#include "inbox.hpp"
#include "locks/mutex.hpp"
#include "outbound_ring.hpp"
#include "ring_acceptor.hpp"

#include "fabric/link_node.hpp"
#include "fabric/reactor.hpp"
#include "fabric/router.hpp"
#include "fabric/spinning.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace copse::fabric {

/// IPU-Links through memory that the processes of one machine share: a ring for each direction
/// between two IPUs that exchange data, neighbours or not. A ring loses, repeats and reorders
/// nothing, and is full when its reader stops. So packets have no numbers and no acknowledgements,
/// and no node forwards packets.
///
/// The control program's thread takes packets out of the rings itself when it waits for one; until
/// then they stay there. The reactor's thread only opens and closes rings, makes room for a sender
/// whose ring is full, and increments the heartbeat.
class MemoryLinks : public LinkNode {
public:
  MemoryLinks(LinkOptions options, OnFailure onFailure, std::unique_ptr<Reactor> reactor);
  // NOLINTNEXTLINE(bugprone-exception-escape): to cancel a timer does not fail
  ~MemoryLinks() override;
  MemoryLinks(const MemoryLinks &) = delete;
  MemoryLinks &operator=(const MemoryLinks &) = delete;

  /// Called once, before all other functions.
  wire::Status bind(const Endpoint &listen);

  const Endpoint &endpoint() const override { return endpoint_; }
  wire::Status connect(LinkPlan plan) override;
  wire::Status openDirectChannels(const std::vector<wire::IpuId> &peers) override;
  Payload payloadTo(wire::IpuId to, std::size_t bytes) override;
  wire::Status send(wire::IpuId to, std::uint32_t tag, Payload payload) override;
  wire::Result<Payload> receive(wire::IpuId from, std::uint32_t tag,
                                Clock::time_point deadline) override;
  void watch(bool on) override { watched_ = on; }
  void stop(wire::Status status) override;
  void reset(std::uint32_t epoch) override;
  std::vector<LinkCounters> counters() override;
  std::uint64_t malformed() const override { return malformed_; }

private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Peer {
    std::shared_ptr<OutboundRing> ring; ///< null: no packet has been sent there yet
    wire::Status lost;                  ///< why the link is down
    std::uint32_t beats = 0;            ///< heartbeat when it was last checked
    Clock::time_point heardAt{};        ///< when the heartbeat last changed
    // Each counter is changed by one thread at a time.
    std::atomic<std::uint64_t> packetsSent{0}, bytesSent{0}, packetsReceived{0}, bytesReceived{0},
        refused{0};
  };
  /// The packet that a receive() waits for.
  struct Awaited {
    wire::IpuId from;
    std::uint32_t tag;
    std::optional<Payload> payload; ///< set when the packet has come
  };

  bool isAway(wire::IpuId ipu) const { return ipu.value < plan_.ipus && ipu != plan_.self; }
  void begin() COPSE_REQUIRES(mutex_);
  void takeEarly();
  wire::Status open(wire::IpuId to) COPSE_REQUIRES(mutex_);
  wire::Status openOnce(wire::IpuId to);
  void adopt(Descriptor connection, ring::Hello hello);
  void addToEndsOfRoute(std::vector<LinkCounters> &links, wire::IpuId ipu) const;

  Sent retry(OutboundRing &ring, const wire::RingHeader &header, const Payload &payload);
  void noteIfFull(const OutboundRing &ring) {
    if (ring.isFull())
      full_ = true;
  }

  bool hasSomething();
  bool poll();
  void pollFor(Awaited &awaited);
  bool takeFrom(InboundRing &ring, Awaited *awaited) COPSE_REQUIRES(mutex_);
  bool takeNext(InboundRing &ring, Awaited *awaited) COPSE_REQUIRES(mutex_);
  RingPacket *soundFront(InboundRing &ring) COPSE_REQUIRES(mutex_);
  bool isEarly(std::uint32_t epoch) const {
    return plan_.ipus < 2 || (epoch != plan_.epoch && epoch != pastEpoch_);
  }
  bool resumeFull() COPSE_REQUIRES(mutex_);
  void await(std::uint64_t seen, Clock::time_point deadline);
  void interrupt();

  void awaitDoorbell();
  void takeIntoInbox();
  void takeSoon();
  void malformed(const std::string &why);
  void fail(const wire::Status &status);
  void lose(wire::IpuId ipu, const std::string &why);
  void reportLost();
  std::chrono::milliseconds tickInterval() const;
  void tickLater();
  void tick();
  wire::Status check(wire::IpuId ipu, Clock::time_point now, bool isWatched);

  LinkOptions options_;
  const OnFailure onFailure_;
  std::unique_ptr<Reactor> reactor_;
  Inbox inbox_;
  Endpoint endpoint_; // written by bind() only, like the two below
  std::optional<Doorbell> doorbell_;
  std::unique_ptr<RingAcceptor> acceptor_;
  asio::posix::stream_descriptor event_; ///< watches the eventfd of the doorbell, which owns it
  asio::steady_timer timer_, lossTimer_;
  Clock::time_point tickAt_{};
  Spinning spinning_{Spinning::Others::Either}; ///< used by the control program's thread

  std::atomic<std::uint64_t> interrupts_{0}, malformed_{0};
  std::atomic<bool> watched_{false}, takePosted_{false};
  std::atomic<bool> full_{false}; ///< one of the rings may be full; most polls need not ask each
  std::atomic<std::uint32_t> waitsFor_{kNone}; ///< the IPU for whose ring send() waits

  // Written by connect() and reset(), while no control program sends or receives, under mutex_;
  // send() may add a ring. The control program's thread reads without the mutex.
  LinkPlan plan_;
  std::uint32_t pastEpoch_ = 0; ///< the epoch before plan_.epoch
  std::optional<Router> router_;
  std::vector<Peer> peers_; ///< by IPU

  locks::Mutex mutex_;
  std::vector<std::shared_ptr<InboundRing>> inbound_ COPSE_GUARDED_BY(mutex_);
};

} // namespace copse::fabric
