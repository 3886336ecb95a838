#include "memory_links.hpp"

#include "link_down.hpp"
#include "link_plan.hpp"
#include "messages_per_turn.hpp"

#include "fabric/topology.hpp"
#include "wire/ipu_names.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <system_error>
#include <utility>

namespace copse::fabric {
namespace {

// How often, within the deadline, the node increments its heartbeat and checks its peers'
// heartbeats.
constexpr int kTicksPerDeadline = 6;
// How long a sender waits for memory of the ring, which saves a copy, before it uses other memory.
constexpr std::chrono::milliseconds kReserveTimeout{5};
// A sender that waits for room retries after so long.
constexpr std::chrono::milliseconds kSendTimeout{100};
// The time from the end of another IPU's process to the failure of its links. The host may have
// noticed the end, too. If it stops the control program meanwhile, its message says where the
// program was.
constexpr std::chrono::milliseconds kEndTimeout{100};
// How often a thread polls before it announces on its doorbell that it waits. Usually the packet
// arrives meanwhile, and the doorbell stays in the caches of its peers.
constexpr unsigned kPollsBeforeWait = 32;

/// Adds to a counter that one thread changes and other threads read.
void add(std::atomic<std::uint64_t> &counter, std::uint64_t amount) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

} // namespace

MemoryLinks::MemoryLinks(LinkOptions options, OnFailure onFailure, std::unique_ptr<Reactor> reactor)
    : options_(options), onFailure_(std::move(onFailure)), reactor_(std::move(reactor)),
      inbox_(options_, [this] { takeSoon(); }), event_(reactor_->io()), timer_(reactor_->io()),
      lossTimer_(reactor_->io()) {}

// NOLINTNEXTLINE(bugprone-exception-escape): to cancel a timer does not fail
MemoryLinks::~MemoryLinks() {
  inbox_.fail({wire::Code::Cancelled, "this node of the IPU-Links has ended"});
  reactor_->stop();
  for (const Peer &peer : peers_)
    if (peer.ring)
      peer.ring->close();
  if (event_.is_open())
    event_.release();
}

wire::Status MemoryLinks::bind(const Endpoint &listen) {
  return reactor_->call([&]() -> wire::Status {
    auto doorbell = Doorbell::create();
    if (!doorbell)
      return doorbell.status();
    doorbell_.emplace(std::move(*doorbell));
    acceptor_ = RingAcceptor::bind(*reactor_, listen.place(), 1);
    if (!acceptor_)
      return {wire::Code::InvalidOption, "cannot listen at '" + listen.text() +
                                             "': " + std::generic_category().message(errno)};
    endpoint_ = listen;
    event_.assign(doorbell_->event());
    doorbell_->announceAway();
    awaitDoorbell();
    acceptor_->watch({[this](Descriptor connection, ring::Hello hello) {
                        adopt(std::move(connection), std::move(hello));
                      },
                      [this](const std::string &why) { malformed(why); }});
    return wire::Status::success();
  });
}

wire::Status MemoryLinks::connect(LinkPlan plan) {
  if (wire::Status status = checkPlan(plan); !status.ok())
    return status;
  return reactor_->call([&]() -> wire::Status {
    {
      const locks::Lock lock(mutex_);
      for (const Peer &peer : peers_)
        if (peer.ring)
          peer.ring->close();
      pastEpoch_ = plan_.epoch;
      plan_ = std::move(plan);
      router_.emplace(plan_.wiring());
      peers_ = std::vector<Peer>(plan_.ipus);
      begin();
      for (const wire::IpuId neighbour : neighbours(plan_.wiring(), plan_.self))
        if (wire::Status status = open(neighbour); !status.ok())
          return status;
    }
    takeEarly();
    return wire::Status::success();
  });
}

void MemoryLinks::reset(std::uint32_t epoch) {
  reactor_->call([&] {
    {
      const locks::Lock lock(mutex_);
      pastEpoch_ = plan_.epoch;
      plan_.epoch = epoch;
      begin();
    }
    takeEarly();
  });
}

/// Forgets everything that happened before the epoch.
void MemoryLinks::begin() {
  inbox_.reset();
  for (Peer &peer : peers_) {
    peer.heardAt = Clock::now();
    for (auto *const counter : {&peer.packetsSent, &peer.bytesSent, &peer.packetsReceived,
                                &peer.bytesReceived, &peer.refused})
      *counter = 0;
  }
  timer_.cancel();
  if (plan_.ipus > 1)
    tickLater();
}

/// Takes the packets of the new epoch. Packets of other epochs stay in their rings, except if their
/// sender has ended: their epoch will never begin.
void MemoryLinks::takeEarly() {
  takeIntoInbox();
  const locks::Lock lock(mutex_);
  std::erase_if(inbound_, [this](const auto &ring) {
    RingPacket *const packet = ring->hasEnded() ? ring->front() : nullptr;
    return packet != nullptr && isEarly(packet->header.epoch);
  });
}

wire::Status MemoryLinks::openDirectChannels(const std::vector<wire::IpuId> &peers) {
  for (const wire::IpuId peer : peers)
    if (isAway(peer) && plan_.endpoints.contains(peer))
      if (wire::Status status = openOnce(peer); !status.ok())
        return status;
  return wire::Status::success();
}

wire::Status MemoryLinks::openOnce(wire::IpuId to) {
  if (peers_[to.value].ring)
    return wire::Status::success();
  return reactor_->call([&] {
    const locks::Lock lock(mutex_);
    return open(to);
  });
}

wire::Status MemoryLinks::open(wire::IpuId to) {
  const auto endpoint = plan_.endpoints.find(to);
  if (endpoint == plan_.endpoints.end())
    return {wire::Code::InvalidOption, nameOf(plan_.self) + " has no endpoint of " + nameOf(to) +
                                           ", to which packets go straight in shared memory"};
  if (endpoint->second.transport() != TransportKind::Shm)
    return {wire::Code::InvalidOption,
            "cannot connect to '" + endpoint->second.text() +
                "': this IPU's links go through shared memory; give all IPUs the same kind of "
                "endpoint"};
  auto ring = OutboundRing::open(*reactor_, endpoint->second, *doorbell_,
                                 [this, to](const std::string &why) { lose(to, why); });
  if (!ring)
    return ring.status();
  peers_[to.value].heardAt = Clock::now();
  peers_[to.value].ring = std::move(*ring);
  return wire::Status::success();
}

/// Adopts the ring that another IPU has opened. That IPU's process may have ended already.
void MemoryLinks::adopt(Descriptor connection, ring::Hello hello) {
  (void)ring::sendWelcome(connection.number(), *doorbell_);
  const auto ring =
      std::make_shared<InboundRing>(*reactor_, std::move(connection), std::move(hello));
  ring->watch([this] { takeIntoInbox(); }, [this](const std::string &why) { malformed(why); });
  {
    const locks::Lock lock(mutex_);
    inbound_.push_back(ring);
  }
  takeIntoInbox(); // packets that came before the sender knew our doorbell
}

// Functions for the control program's thread:

wire::Status MemoryLinks::send(wire::IpuId to, std::uint32_t tag, Payload payload) {
  if (!isAway(to))
    return noLinkTo(plan_, to);
  if (!inbox_.sound())
    return inbox_.failure();
  Peer &peer = peers_[to.value];
  if (!peer.ring)
    if (wire::Status status = openOnce(to); !status.ok())
      return status;
  const auto header = wire::ringHeader(plan_.epoch, plan_.self.value, to.value, tag);
  Sent sent = peer.ring->send(header, payload);
  if (sent == Sent::Full)
    sent = retry(*peer.ring, header, payload);
  if (peer.ring->isFull()) {
    full_ = true;
    if (peer.ring->mayResume()) // the reader may have made room before full_ was set
      (void)poll();
  }
  switch (sent) {
  case Sent::Ok:
    add(peer.packetsSent, 1);
    add(peer.bytesSent, payload.size());
    return wire::Status::success();
  case Sent::Unreachable:
    fail(linkIsLost(plan_.self, to, "the memory that it shares is corrupt"));
    break;
  case Sent::Full: // the inbox has failed
    break;
  }
  return inbox_.failure();
}

/// Retries a send until there is room. Meanwhile it takes packets out of all rings, as the other
/// IPU may wait for room, too.
Sent MemoryLinks::retry(OutboundRing &ring, const wire::RingHeader &header,
                        const Payload &payload) {
  const Inbox::Waiting waiting(inbox_);
  waitsFor_ = header.to;
  Sent sent = Sent::Full;
  while (sent == Sent::Full && inbox_.sound()) {
    const auto seen = interrupts_.load();
    sent = ring.send(header, payload);
    noteIfFull(ring);
    if (sent == Sent::Full && !poll())
      await(seen, Clock::now() + kSendTimeout);
  }
  waitsFor_ = kNone;
  return sent;
}

wire::Result<Payload> MemoryLinks::receive(wire::IpuId from, std::uint32_t tag,
                                           Clock::time_point deadline) {
  if (!isAway(from))
    return noLinkFrom(plan_, from);
  const Inbox::Waiting waiting(inbox_);
  Awaited awaited{from, tag, {}};
  for (bool waited = false;; waited = true) {
    const auto seen = interrupts_.load();
    // The rings are polled only when the inbox is empty, because poll() may take more packets than
    // remain in order.
    if (auto payload = inbox_.takeNow(from, tag))
      return std::move(*payload);
    pollFor(awaited);
    if (awaited.payload)
      return std::move(*awaited.payload);
    if (auto payload = inbox_.takeNow(from, tag))
      return std::move(*payload);
    // Most packets arrive during the first wait, for which the clock need not be read.
    if (waited && Clock::now() >= deadline)
      return Inbox::late(from, tag);
    await(seen, deadline);
  }
}

Payload MemoryLinks::payloadTo(wire::IpuId to, std::size_t bytes) {
  if (!isAway(to) || !openOnce(to).ok())
    return Payload(bytes);
  OutboundRing &ring = *peers_[to.value].ring;
  std::optional<Clock::time_point> deadline;
  for (;;) {
    const auto seen = interrupts_.load();
    auto payload = ring.reserve(bytes);
    noteIfFull(ring);
    if (payload)
      return std::move(*payload);
    if (!deadline)
      deadline = Clock::now() + kReserveTimeout;
    if (Clock::now() >= *deadline || !inbox_.sound())
      return Payload(bytes);
    if (!poll())
      await(seen, *deadline);
  }
}

/// Waits until there is something to poll, or interrupts_ differs from \p seen. May also return
/// without a reason.
void MemoryLinks::await(std::uint64_t seen, Clock::time_point deadline) {
  const Spinning::Condition come = [&] { return interrupts_ != seen || hasSomething(); };
  if (pollUntil(come, kPollsBeforeWait))
    return;
  doorbell_->attend();
  if (!spinning_.until(come, deadline)) {
    doorbell_->announceSleep();
    if (!come())
      doorbell_->sleepUntil(deadline);
  }
  doorbell_->announceAway();
  doorbell_->beat();
  // A sender whose ring is full relies on this thread to take its packets.
  (void)poll();
}

// Functions for any thread:

bool MemoryLinks::hasSomething() {
  const locks::Lock lock(mutex_);
  return std::ranges::any_of(inbound_, [](const auto &ring) { return ring->hasNew(); }) ||
         (full_ && std::ranges::any_of(peers_, [](const Peer &peer) {
            return peer.ring && peer.ring->mayResume();
          }));
}

/// Moves a part of the packets in each ring into the inbox, and resumes large packets that did not
/// fit into a ring.
/// \returns true if there was anything to do
bool MemoryLinks::poll() {
  const locks::Lock lock(mutex_);
  bool any = full_ && resumeFull();
  for (const auto &ring : inbound_)
    any = takeFrom(*ring, nullptr) || any;
  return any;
}

/// Polls until the awaited packet arrives.
void MemoryLinks::pollFor(Awaited &awaited) {
  const locks::Lock lock(mutex_);
  if (full_)
    (void)resumeFull();
  for (const auto &ring : inbound_)
    if (takeFrom(*ring, &awaited) && awaited.payload)
      return;
}

bool MemoryLinks::takeFrom(InboundRing &ring, Awaited *awaited) {
  int taken = 0;
  while (taken < kMessagesPerTurn && takeNext(ring, awaited))
    ++taken;
  return taken > 0;
}

/// \returns false if there is no packet, or no room for it
bool MemoryLinks::takeNext(InboundRing &ring, Awaited *awaited) {
  RingPacket *const packet = soundFront(ring);
  if (packet == nullptr)
    return false;
  const wire::IpuId from{packet->header.from};
  const std::uint32_t tag = packet->header.tag;
  const std::size_t bytes = packet->payload.size();
  // The awaited packet need not pass through the inbox, unless other packets may precede it.
  if (awaited != nullptr && !awaited->payload && awaited->from == from && awaited->tag == tag &&
      inbox_.isEmpty() && inbox_.sound())
    awaited->payload = std::move(packet->payload);
  else if (!inbox_.deliver(from, tag, packet->payload))
    return false;
  ring.pop();
  add(peers_[from.value].packetsReceived, 1);
  add(peers_[from.value].bytesReceived, bytes);
  return true;
}

/// Returns the next packet of this epoch; null if there is none. No packet is trusted: an invalid
/// one is counted, logged and dropped. A packet whose epoch has not begun stays in the ring, and so
/// do all behind it.
RingPacket *MemoryLinks::soundFront(InboundRing &ring) {
  for (;; ring.pop()) {
    RingPacket *const packet = ring.front();
    if (packet == nullptr || isEarly(packet->header.epoch))
      return nullptr;
    const wire::IpuId from{packet->header.from}, to{packet->header.to};
    if (!isAway(from) || to != plan_.self)
      malformed("a packet from " + nameOf(from) + " to " + nameOf(to) + " is not for this link");
    else if (packet->header.epoch != plan_.epoch)
      add(peers_[from.value].refused, 1);
    else
      return packet;
  }
}

bool MemoryLinks::resumeFull() {
  bool any = false;
  full_ = false; // a sender that is refused from now on sets it again
  for (const Peer &peer : peers_)
    if (peer.ring) {
      any = peer.ring->resume() || any;
      noteIfFull(*peer.ring);
    }
  return any;
}

void MemoryLinks::stop(wire::Status status) {
  assert(!status.ok());
  inbox_.fail(std::move(status));
  interrupt();
}

/// Reports a change that the control program may wait for.
void MemoryLinks::interrupt() {
  ++interrupts_;
  doorbell_->wake(false); // only a thread that sleeps must be woken
}

void MemoryLinks::fail(const wire::Status &status) {
  if (!inbox_.fail(status))
    return;
  spdlog::error("{}", status.message);
  interrupt();
  if (onFailure_)
    reactor_->post([this, status] { onFailure_(status); });
}

void MemoryLinks::malformed(const std::string &why) {
  const std::uint64_t count = ++malformed_;
  if ((count & (count - 1)) == 0) // the 1st, 2nd, 4th, 8th, ...: a flood must not fill the log
    spdlog::warn("{}: dropped a message, number {}: {}", nameOf(plan_.self), count, why);
}

/// Polls again soon, as the inbox has room for a packet that did not fit.
void MemoryLinks::takeSoon() {
  if (!takePosted_.exchange(true))
    reactor_->post([this] {
      takePosted_ = false;
      takeIntoInbox();
    });
}

std::vector<LinkCounters> MemoryLinks::counters() {
  return reactor_->call([&] {
    const locks::Lock lock(mutex_);
    std::vector<LinkCounters> all;
    for (const wire::IpuId neighbour : neighbours(plan_.wiring(), plan_.self))
      all.push_back({.neighbour = neighbour});
    for (std::uint32_t ipu = 0; ipu < peers_.size(); ++ipu)
      if (isAway({ipu}))
        addToEndsOfRoute(all, {ipu});
    return all;
  });
}

/// Adds the packets that were exchanged with \p ipu to the links with which their routes begin and
/// end. The links in between do not see them.
void MemoryLinks::addToEndsOfRoute(std::vector<LinkCounters> &links, wire::IpuId ipu) const {
  const auto of = [&](wire::IpuId neighbour) -> LinkCounters & {
    return *std::ranges::find(links, neighbour, &LinkCounters::neighbour);
  };
  const Peer &peer = peers_[ipu.value];
  LinkCounters &out = of(router_->next(Router::start(plan_.self), ipu).to);
  out.packetsSent += peer.packetsSent;
  out.bytesSent += peer.bytesSent;
  out.queued += peer.ring ? peer.ring->untaken() : 0;
  LinkCounters &in = of(router_->route(ipu, plan_.self).back().from);
  in.packetsReceived += peer.packetsReceived;
  in.bytesReceived += peer.bytesReceived;
  in.refused += peer.refused;
}

// Functions for the reactor's thread:

void MemoryLinks::awaitDoorbell() {
  event_.async_wait(asio::posix::stream_descriptor::wait_read,
                    [this](const asio::error_code &error) {
                      if (error)
                        return;
                      doorbell_->silence();
                      (void)doorbell_->resumeAway();
                      doorbell_->beat();
                      takeIntoInbox();
                      awaitDoorbell();
                    });
}

/// Moves packets into the inbox as far as there is room, because a sender waits or an epoch has
/// begun.
void MemoryLinks::takeIntoInbox() {
  if (poll())
    interrupt();
  const locks::Lock lock(mutex_);
  std::erase_if(inbound_, [](const auto &ring) { return ring->hasEnded() && ring->isEmpty(); });
  if (std::ranges::any_of(inbound_, [](const auto &ring) { return ring->hasNew(); }))
    doorbell_->wake(); // each poll() is limited, so that other handlers have their turns
}

/// Records that another IPU has closed its ring. A closed ring is no failure if the program does
/// not need the link any more: programs end one after another.
void MemoryLinks::lose(wire::IpuId ipu, const std::string &why) {
  {
    const locks::Lock lock(mutex_);
    peers_[ipu.value].lost = linkIsLost(plan_.self, ipu, why);
  }
  lossTimer_.expires_after(kEndTimeout);
  lossTimer_.async_wait([this](const asio::error_code &error) {
    if (!error)
      reportLost();
  });
}

void MemoryLinks::reportLost() {
  const locks::Lock lock(mutex_);
  for (const Peer &peer : peers_)
    if (watched_ && !peer.lost.ok())
      return fail(peer.lost);
}

std::chrono::milliseconds MemoryLinks::tickInterval() const {
  return std::max(options_.deadline / kTicksPerDeadline, std::chrono::milliseconds(1));
}

void MemoryLinks::tickLater() {
  tickAt_ = Clock::now() + tickInterval();
  timer_.expires_at(tickAt_);
  timer_.async_wait([this](const asio::error_code &error) {
    if (!error)
      tick();
  });
}

void MemoryLinks::tick() {
  if (plan_.ipus < 2)
    return;
  doorbell_->beat();
  if (doorbell_
          ->resumeAway()) // a process that was killed while it woke this node may have failed to
    takeIntoInbox();
  const auto now = Clock::now();
  // A node whose timer is this late has been stopped itself.
  const bool isLate = now > tickAt_ + tickInterval();
  {
    const locks::Lock lock(mutex_);
    for (std::uint32_t ipu = 0; ipu < peers_.size(); ++ipu)
      if (peers_[ipu].ring) {
        const bool isWatched = !isLate && (watched_ || waitsFor_ == ipu);
        if (const wire::Status status = check({ipu}, now, isWatched); !status.ok())
          fail(status);
      }
  }
  tickLater();
}

/// Checks whether an IPU is alive.
/// \returns why the link to it is down
wire::Status MemoryLinks::check(wire::IpuId ipu, Clock::time_point now, bool isWatched) {
  Peer &peer = peers_[ipu.value];
  const std::uint32_t beats = peer.ring->beats();
  if (std::exchange(peer.beats, beats) != beats || !isWatched)
    peer.heardAt = now;
  if (!isWatched)
    return wire::Status::success();
  if (!peer.lost.ok())
    return peer.lost;
  if (now >= peer.heardAt + options_.deadline)
    return linkIsSilent(plan_.self, ipu, "said nothing", options_.deadline);
  if (now >= peer.heardAt + options_.deadline / 2)
    peer.ring->askForBeat(); // the other node may have a longer deadline
  return wire::Status::success();
}

} // namespace copse::fabric
