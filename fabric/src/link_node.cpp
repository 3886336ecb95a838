#include "fabric/link_node.hpp"

#include "direct_packets.hpp"
#include "inbox.hpp"
#include "link.hpp"
#include "locks/mutex.hpp"

#include "fabric/router.hpp"
#include "wire/envelope.hpp"
#include "wire/ipu_names.hpp"

#include <asio/steady_timer.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <ctime>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace copse::fabric {
namespace {

// How often a watched neighbour is asked within the deadline.
constexpr int kWatchesPerDeadline = 6;
// How long a sender waits for room for its payload where it needs no copy, before it gets other
// memory.
constexpr std::chrono::milliseconds kRoomPatience{5};
// From the end of a neighbour to the failure of its links. The host may have noticed, too; if it stops the
// control program meanwhile, that says where it was.
constexpr std::chrono::milliseconds kLossPatience{100};

// Both windows full, and as much again for what is sent twice.
int highWaterFor(const LinkOptions &options) {
  return static_cast<int>(4 * wire::kChannels * options.windowPackets);
}

/// Some milliseconds late, in a fifth of the time.
LinkNode::Clock::time_point coarseNow() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return LinkNode::Clock::time_point(std::chrono::seconds(now.tv_sec) +
                                     std::chrono::nanoseconds(now.tv_nsec));
}

/// For a transport that loses nothing. An acknowledgement only makes room there, so it can wait for a packet that carries
/// it, or for a neighbour that asks; one alone, and a look at the clock for it, costs each end a wake-up.
LinkOptions unhurried(LinkOptions options) {
  options.ackDelay = std::max(options.ackDelay, options.deadline / 6);
  options.probeInterval = std::max(options.probeInterval, options.deadline / 3);
  return options;
}

wire::Status check(const LinkPlan &plan) {
  if (wire::Status status = checkPartition(plan.ipus); !status.ok())
    return status;
  if (plan.self.value >= plan.ipus)
    return {wire::Code::InvalidOption,
            "there is no " + nameOf(plan.self) + " among " + std::to_string(plan.ipus)};
  for (const wire::IpuId neighbour : neighbours(plan.topology, plan.ipus, plan.self))
    if (!plan.endpoints.contains(neighbour))
      return {wire::Code::InvalidOption,
              nameOf(plan.self) + " has no endpoint of its neighbour " + nameOf(neighbour)};
  return wire::Status::success();
}

} // namespace

// Links are worked on by whoever has something for them, under mutex_: the reactor's thread, which
// receives and keeps the time, and the control program's, which puts what it sends on the wire
// itself. A hand-over to another thread costs more than the sending.
class LinkNode::Impl {
public:
  Impl(LinkOptions options, OnFailure onFailure)
      : options_(options), onFailure_(std::move(onFailure)), inbox_(options_, [this] { wake(); }),
        reactor_("copse-links") {}

  ~Impl() {
    inbox_.fail({wire::Code::Cancelled, "this node of the IPU-Links has ended"});
    reactor_.stop();
  }

  wire::Status bind(const TransportFactory &transports, const Endpoint &listen) {
    return reactor_.call([&]() -> wire::Status {
      transport_ = transports(reactor_, listen.transport(), highWaterFor(options_));
      ways_ = transport_->direct();
      if (ways_ != nullptr) {
        options_ = unhurried(options_);
        directly_.emplace(*ways_, inbox_, options_.probeInterval);
      }
      timer_.emplace(reactor_.io());
      lossTimer_.emplace(reactor_.io());
      auto bound = transport_->bind(listen);
      if (!bound)
        return bound.status();
      endpoint_ = *bound;
      transport_->watch(
          {[this](LinkMessage &&message, const std::string &sender) {
             receive(std::move(message), sender);
           },
           [this](DirectPacket &packet, bool evenIfFull) { return takeDirect(packet, evenIfFull); },
           [this](wire::IpuId neighbour) { writable(neighbour); },
           [this](const std::string &why) {
             const locks::Lock lock(mutex_);
             malformed(why);
           },
           [this](wire::IpuId neighbour, const std::string &why) { lost(neighbour, why); }});
      return wire::Status::success();
    });
  }

  const Endpoint &endpoint() const { return endpoint_; }

  wire::Status connect(LinkPlan plan) {
    if (wire::Status status = check(plan); !status.ok())
      return status;
    return reactor_.call([&]() -> wire::Status {
      const locks::Lock lock(mutex_);
      transport_->disconnectAll();
      shortcuts_.clear();
      pastEpoch_ = plan_.epoch;
      plan_ = std::move(plan);
      router_.emplace(plan_.topology, plan_.ipus);
      restart();
      for (const Link &link : links_)
        if (wire::Status status = openWay(link.neighbour()); !status.ok())
          return status;
      takeEarly();
      return wire::Status::success();
    });
  }

  wire::Status openShortcuts(const std::vector<wire::IpuId> &peers) {
    return reactor_.call([&]() -> wire::Status {
      const locks::Lock lock(mutex_);
      for (const wire::IpuId peer : peers)
        if (isAway(peer) && linkTo(peer) == nullptr)
          if (wire::Status status = openShortcut(peer); !status.ok())
            return status;
      return wire::Status::success();
    });
  }

  void reset(std::uint32_t epoch) {
    reactor_.call([&] {
      const locks::Lock lock(mutex_);
      pastEpoch_ = plan_.epoch;
      plan_.epoch = epoch;
      restart();
      takeEarly();
    });
  }

  wire::Status send(wire::IpuId to, std::uint32_t tag, Payload payload) {
    if (!isAway(to))
      return {wire::Code::NotFound, "no IPU-Link leads from " + nameOf(plan_.self) + " to " +
                                        nameOf(to) + " in a partition of " +
                                        std::to_string(plan_.ipus)};
    if (goesDirectly(to))
      return sendDirectly(to, tag, std::move(payload));
    const LinkUse first = firstLink(to);
    const std::uint64_t hash =
        options_.checkPayload ? wire::payloadHash(payload.bytes()) : std::uint64_t{0};
    return dispatch(first, {{plan_.self, to, tag, first.channel}, std::move(payload), hash});
  }

  wire::Result<Payload> receive(wire::IpuId from, std::uint32_t tag, Clock::time_point deadline) {
    if (from.value >= plan_.ipus || from == plan_.self)
      return wire::Status{wire::Code::NotFound,
                          "no message can arrive at " + nameOf(plan_.self) + " from " +
                              nameOf(from) + " in a partition of " + std::to_string(plan_.ipus)};
    return directly_ ? directly_->receive(from, tag, deadline) : inbox_.take(from, tag, deadline);
  }

  Payload payloadTo(wire::IpuId to, std::size_t bytes) {
    if (ways_ == nullptr || !isAway(to))
      return Payload(bytes);
    const wire::IpuId neighbour = directly_->leadTo(to) ? to : firstLink(to).to;
    std::optional<Clock::time_point> deadline;
    for (;;) {
      const auto seen = ways_->interrupts();
      if (auto payload = transport_->payloadTo(neighbour, bytes))
        return std::move(*payload);
      if (!deadline)
        deadline = Clock::now() + kRoomPatience;
      if (Clock::now() >= *deadline || !inbox_.sound())
        return Payload(bytes);
      ways_->pollOrAwait(seen, *deadline);
    }
  }

  void watch(bool on) { watched_ = on; }

  void stop(wire::Status status) {
    assert(!status.ok());
    inbox_.fail(std::move(status));
    const locks::Lock lock(mutex_); // so that a sender that is about to wait hears of it
    tellWaiting();
  }

  std::vector<LinkCounters> counters() {
    return reactor_.call([&] {
      const locks::Lock lock(mutex_);
      std::vector<LinkCounters> all;
      for (Link &link : links_) {
        LinkCounters own = link.counters();
        for (std::size_t channel = 0; channel < wire::kChannels; ++channel)
          own.queued += link.out(channel).packets();
        if (directly_)
          directly_->addTo(own);
        if (shortcuts_.contains(link.neighbour()))
          addToEndsOfRoute(all, own);
        else
          all.push_back(own);
      }
      return all;
    });
  }

  std::uint64_t malformed() const { return malformed_; }

private:
  /// Whether \p ipu is another one of the partition.
  bool isAway(wire::IpuId ipu) const {
    return router_ && ipu.value < plan_.ipus && ipu != plan_.self;
  }

  LinkUse firstLink(wire::IpuId to) const {
    return shortcuts_.contains(to) ? LinkUse{plan_.self, to, 0} : router_->next(plan_.self, to, 0);
  }

  void addLink(wire::IpuId to) COPSE_REQUIRES(mutex_) {
    linkOf_[to.value] = &links_.emplace_back(*transport_, options_, plan_.self, to, plan_.epoch);
    if (directly_)
      directly_->open(to);
  }

  wire::Status openWay(wire::IpuId to) COPSE_REQUIRES(mutex_) {
    return transport_->connect({to, plan_.endpoints.at(to), nameAmongKeys(to)});
  }

  wire::Status openShortcut(wire::IpuId to) COPSE_REQUIRES(mutex_) {
    if (ways_ == nullptr || !plan_.endpoints.contains(to))
      return wire::Status::success(); // through neighbours then
    if (wire::Status status = openWay(to); !status.ok())
      return status;
    shortcuts_.insert(to);
    addLink(to);
    return wire::Status::success();
  }

  /// The traffic of a shortcut counts for the links with which its routes begin and end. Those between do not know of it.
  void addToEndsOfRoute(std::vector<LinkCounters> &links, const LinkCounters &shortcut) const {
    const auto of = [&](wire::IpuId neighbour) -> LinkCounters & {
      return *std::ranges::find(links, neighbour, &LinkCounters::neighbour);
    };
    LinkCounters &out = of(router_->next(plan_.self, shortcut.neighbour, 0).to);
    out.packetsSent += shortcut.packetsSent;
    out.bytesSent += shortcut.bytesSent;
    out.resent += shortcut.resent;
    out.queued += shortcut.queued;
    LinkCounters &in = of(router_->route(shortcut.neighbour, plan_.self).back().from);
    in.packetsReceived += shortcut.packetsReceived;
    in.bytesReceived += shortcut.bytesReceived;
    in.repeats += shortcut.repeats;
    in.refused += shortcut.refused;
  }

  /// Payloads with a hash go over links, which have a place for it.
  bool goesDirectly(wire::IpuId to) const {
    return directly_ && directly_->leadTo(to) && !options_.checkPayload;
  }

  wire::Status sendDirectly(wire::IpuId to, std::uint32_t tag, Payload payload) {
    const Handover handover = directly_->send(to, tag, std::move(payload));
    if (handover == Handover::Kept)
      return wire::Status::success();
    if (handover == Handover::Unreachable)
      breakOff(to);
    return inbox_.failure();
  }

  void breakOff(wire::IpuId neighbour) {
    const locks::Lock lock(mutex_);
    Link &link = *linkTo(neighbour);
    link.lost("the memory that it shares is corrupt");
    fail(link.whyLost());
  }

  /// As Transport::Handlers::onDirect. Nothing that came is trusted here, either.
  bool takeDirect(DirectPacket &packet, bool evenIfFull) {
    if (!router_ || packet.epoch != plan_.epoch)
      return takeOfOtherEpoch(packet);
    return takeNow(packet, evenIfFull ? Inbox::Room::EvenIfFull : Inbox::Room::Needed);
  }

  bool takeNow(DirectPacket &packet, Inbox::Room room) {
    const auto taken = directly_->take(packet, room);
    if (taken == DirectPackets::Taken::Never)
      malformed("a packet from " + nameOf(packet.from) + " to " + nameOf(packet.to) +
                " is not for this link");
    return taken != DirectPackets::Taken::NoRoom;
  }

  bool takeOfOtherEpoch(DirectPacket &packet) {
    const locks::Lock lock(mutex_);
    if (!isEarly(packet.epoch)) {
      refuse(packet.from);
      return true;
    }
    if (early_.size() >= mostEarly())
      return false;
    early_.push_back(std::move(packet));
    return true;
  }

  void refuse(wire::IpuId from) COPSE_REQUIRES(mutex_) {
    if (Link *const link = linkTo(from))
      ++link->counters().refused;
  }

  /// Sends a packet of this node. While its way is full it waits for its turn among those that are
  /// forwarded.
  wire::Status dispatch(const LinkUse &way, Packet packet) {
    locks::Lock lock(mutex_);
    if (!inbox_.sound())
      return inbox_.failure();
    Link &link = *linkTo(way.to);
    if (SendWindow &window = link.out(way.channel); window.hasRoom(packet.payload.size())) {
      window.push(std::move(packet));
      transmit(link, now());
      return wire::Status::success();
    }
    link.askForRoom(packet.payload.size());
    blocked_.emplace(way, std::move(packet));
    const Inbox::Waiting waiting(inbox_);
    while (blocked_ && inbox_.sound())
      awaitSent(lock);
    return std::exchange(blocked_, {}) ? inbox_.failure() : wire::Status::success();
  }

  /// \param lock  of mutex_, given away meanwhile, which the analysis cannot see
  void awaitSent(locks::Lock &lock) COPSE_NOT_ANALYSED {
    if (ways_ == nullptr)
      return sent_.wait(lock);
    const auto seen = ways_->interrupts();
    lock.unlock();
    ways_->pollOrAwait(seen, Clock::now() + options_.probeInterval);
    lock.lock();
  }

  /// When packets go and come. Of a transport that loses none nothing is sent again, so only deadlines ask.
  Clock::time_point now() const { return ways_ == nullptr ? Clock::now() : coarseNow(); }

  /// Something has changed that the control program may wait for.
  void tellWaiting() {
    sent_.notify_all();
    if (ways_ != nullptr)
      ways_->interrupt();
  }

  // Any thread.
  void wake() {
    if (!wakePosted_.exchange(true))
      reactor_.post([this] {
        wakePosted_ = false;
        if (ways_ != nullptr)
          ways_->offerAgain();
        const locks::Lock lock(mutex_);
        pump(Clock::now());
      });
  }

  void restart() COPSE_REQUIRES(mutex_) {
    links_.clear();
    linkOf_.assign(plan_.ipus, nullptr);
    if (directly_)
      directly_->begin(plan_.self, plan_.ipus, plan_.epoch);
    inbox_.reset();
    for (const wire::IpuId neighbour : neighbours(plan_.topology, plan_.ipus, plan_.self))
      addLink(neighbour);
    for (const wire::IpuId peer : shortcuts_)
      addLink(peer);
    down_ = stalled_ = false;
    schedule();
    wake(); // packets of this epoch may wait
  }

  Link *linkTo(wire::IpuId neighbour) COPSE_REQUIRES(mutex_) {
    return neighbour.value < linkOf_.size() ? linkOf_[neighbour.value] : nullptr;
  }

  void receive(LinkMessage &&message, const std::string &sender) {
    const locks::Lock lock(mutex_);
    take(std::move(message), sender);
  }

  // Nothing that came is trusted: a message with anything wrong is counted, logged and dropped.
  void take(LinkMessage &&message, const std::string &sender) COPSE_REQUIRES(mutex_) {
    const wire::Envelope &envelope = message.envelope;
    if (!std::holds_alternative<wire::Foreign>(envelope.body) && isEarly(envelope.epoch))
      return keepEarly({std::move(message), sender});
    Link *link = linkTo(envelope.from);
    if (link == nullptr || envelope.to != plan_.self)
      return malformed("a message from " + nameOf(envelope.from) + " to " + nameOf(envelope.to) +
                       " is not for this link");
    if (!sender.empty() && sender != nameAmongKeys(envelope.from))
      return malformed(sender + " speaks for " + nameOf(envelope.from));
    if (std::holds_alternative<wire::Foreign>(envelope.body))
      return foreign(*link, envelope.version);
    if (envelope.epoch != plan_.epoch) {
      ++link->counters().refused;
      return;
    }
    if (const std::string why = misplaced(envelope); !why.empty())
      return malformed("a message from " + nameOf(envelope.from) + " " + why);
    const auto time = now();
    const wire::Status status = link->handle(envelope, std::move(message.payload), time);
    if (!status.ok())
      fail(status);
    pump(*link, time);
  }

  /// A neighbour that is ahead sends before this node knows the plan, or the epoch. Where it sends
  /// each message once, that must not be lost.
  bool isEarly(std::uint32_t epoch) const COPSE_REQUIRES(mutex_) {
    return ways_ != nullptr && (!router_ || (epoch != plan_.epoch && epoch != pastEpoch_));
  }
  std::size_t mostEarly() const { return static_cast<std::size_t>(highWaterFor(options_)); }

  struct Early {
    LinkMessage message;
    std::string sender;
  };

  void keepEarly(Early early) COPSE_REQUIRES(mutex_) {
    if (early_.size() < mostEarly())
      early_.push_back(std::move(early));
    else
      malformed("a neighbour sends more than its window before this node has joined the links");
  }

  /// Of another epoch than the one that has begun they are of none that will come.
  void takeEarly() COPSE_REQUIRES(mutex_) {
    for (auto &early : std::exchange(early_, {}))
      if (auto *const packet = std::get_if<DirectPacket>(&early))
        takeEarly(*packet);
      else
        takeEarly(std::get<Early>(early));
  }
  void takeEarly(Early &early) COPSE_REQUIRES(mutex_) {
    const wire::Envelope &envelope = early.message.envelope;
    if (envelope.epoch == plan_.epoch)
      take(std::move(early.message), early.sender);
    else
      refuse(envelope.from);
  }
  void takeEarly(DirectPacket &packet) COPSE_REQUIRES(mutex_) {
    if (packet.epoch == plan_.epoch)
      (void)takeNow(packet, Inbox::Room::EvenIfFull);
    else
      refuse(packet.from);
  }

  std::string nameAmongKeys(wire::IpuId neighbour) const {
    const auto found = plan_.names.find(neighbour);
    return found == plan_.names.end() ? "" : found->second;
  }

  /// Why this is no message for a link of this partition; empty: it is one.
  std::string misplaced(const wire::Envelope &envelope) const {
    if (std::holds_alternative<wire::SyncArrive>(envelope.body) ||
        std::holds_alternative<wire::SyncLeave>(envelope.body))
      return "is about sync, on an IPU-Link";
    const auto *const packet = std::get_if<wire::Packet>(&envelope.body);
    if (packet != nullptr &&
        (packet->source.value >= plan_.ipus || packet->destination.value >= plan_.ipus))
      return "is a packet from " + nameOf(packet->source) + " to " + nameOf(packet->destination) +
             ", of which one does not exist";
    return "";
  }

  void malformed(const std::string &why) {
    const std::uint64_t count = ++malformed_;
    if ((count & (count - 1)) == 0) // the 1st, 2nd, 4th, 8th, ...: a flood must not fill the log
      spdlog::warn("{}: dropped a message, number {}: {}", nameOf(plan_.self), count, why);
  }

  void foreign(Link &link, std::uint16_t version) {
    const wire::Status why{wire::Code::InvalidOption,
                           "it speaks protocol version " + std::to_string(wire::kProtocolVersion) +
                               ", not " + std::to_string(version) +
                               "; run the same release of copse everywhere"};
    malformed(nameOf(link.neighbour()) + " sent protocol version " + std::to_string(version));
    link.refuse(why);
  }

  void writable(wire::IpuId neighbour) {
    const locks::Lock lock(mutex_);
    if (Link *link = linkTo(neighbour))
      transmit(*link, Clock::now());
    tellWaiting();
  }

  void transmit(Link &link, Clock::time_point now) COPSE_REQUIRES(mutex_) {
    link.transmit(now);
    schedule(link);
  }

  /// After a message of \p link: if no packet waits for room, only its packets can move.
  void pump(Link &link, Clock::time_point now) COPSE_REQUIRES(mutex_) {
    if (stalled_ || blocked_)
      return pump(now);
    bool any = false;
    for (std::size_t channel = 0; channel < wire::kChannels; ++channel)
      while (passOn(link, channel, now))
        any = true;
    endPumping(link, now);
    if (any)
      tellWaiting();
  }

  // Moves packets from where they arrived to where they go, as far as there is room, one of each
  // origin in turn.
  void pump(Clock::time_point now) COPSE_REQUIRES(mutex_) {
    bool any = false;
    for (bool moved = true; moved;) {
      moved = false;
      for (Link &link : links_)
        for (std::size_t channel = 0; channel < wire::kChannels; ++channel)
          moved = passOn(link, channel, now) || moved;
      moved = unblock() || moved;
      any = any || moved;
    }
    stalled_ = false;
    for (Link &link : links_)
      endPumping(link, now);
    if (any)
      tellWaiting();
  }

  /// No packet of \p link can move for now.
  void endPumping(Link &link, Clock::time_point now) COPSE_REQUIRES(mutex_) {
    stalled_ = stalled_ || link.in(0).ready() || link.in(1).ready();
    transmit(link, now);
  }

  // The head of an inbound channel, to the inbox or to the next link.
  bool passOn(Link &link, std::size_t channel, Clock::time_point now) COPSE_REQUIRES(mutex_) {
    ReceiveWindow &in = link.in(channel);
    if (!in.ready())
      return false;
    Packet &packet = in.front();
    const std::size_t bytes = packet.payload.size();
    if (packet.header.destination == plan_.self) {
      if (!inbox_.deliver(packet.header.source, packet.header.tag, packet.payload))
        return false;
    } else {
      const LinkUse use =
          router_->next(plan_.self, packet.header.destination, static_cast<std::uint8_t>(channel));
      Link &next = *linkTo(use.to);
      SendWindow &out = next.out(use.channel);
      if (!out.hasRoom(bytes)) {
        next.askForRoom(bytes);
        return false;
      }
      packet.header.channel = use.channel;
      out.push(std::move(packet));
      transmit(next, now);
      ++link.counters().forwarded;
    }
    link.consumed(channel, bytes, now);
    return true;
  }

  /// The packet that send() waits with.
  bool unblock() COPSE_REQUIRES(mutex_) {
    if (!blocked_)
      return false;
    SendWindow &window = linkTo(blocked_->first.to)->out(blocked_->first.channel);
    if (!window.hasRoom(blocked_->second.payload.size()))
      return false;
    window.push(std::move(blocked_->second));
    blocked_.reset();
    return true;
  }

  void fail(const wire::Status &status) COPSE_REQUIRES(mutex_) {
    if (std::exchange(down_, true))
      return;
    spdlog::error("{}", status.message);
    if (inbox_.fail(status) && onFailure_)
      onFailure_(status);
    tellWaiting();
  }

  void lost(wire::IpuId neighbour, const std::string &why) {
    const locks::Lock lock(mutex_);
    Link *const link = linkTo(neighbour);
    if (link == nullptr)
      return;
    link->lost(why);
    lossTimer_->expires_after(kLossPatience);
    lossTimer_->async_wait([this](const asio::error_code &error) {
      if (!error)
        tellLost();
    });
  }

  /// A neighbour that leaves when nobody needs it is no failure: programs end one after another,
  /// some before they have acknowledged the last packets.
  void tellLost() {
    const locks::Lock lock(mutex_);
    for (const Link &link : links_)
      if (watched_ && !link.whyLost().ok())
        fail(link.whyLost());
  }

  // Sets the timer to whatever is due first.
  void schedule() COPSE_REQUIRES(mutex_) {
    if (links_.empty())
      return;
    auto earliest = watchAt_;
    for (const Link &link : links_)
      earliest = std::min(earliest, link.due().value_or(earliest));
    wakeAt(earliest);
  }

  /// The same if nothing has changed but on \p link.
  void schedule(const Link &link) COPSE_REQUIRES(mutex_) {
    if (const auto due = link.due())
      wakeAt(*due);
  }

  void wakeAt(Clock::time_point at) COPSE_REQUIRES(mutex_) {
    // One that is set for an earlier time is left alone, and set anew then: what is due moves away
    // with every packet.
    if (down_ || (timerAt_ && *timerAt_ <= at))
      return;
    timerAt_ = at;
    timer_->expires_at(at);
    timer_->async_wait([this](const asio::error_code &error) {
      if (!error)
        tick();
    });
  }

  /// Now and then, so that watch() has nothing to do but to say so. A node that comes late to this
  /// has been stopped itself: its neighbours' answers may wait unread.
  void watchLinks(Clock::time_point now) COPSE_REQUIRES(mutex_) {
    if (now < watchAt_)
      return;
    const auto interval = options_.deadline / kWatchesPerDeadline;
    const bool late = now > watchAt_ + interval;
    watchAt_ = now + interval;
    for (Link &link : links_) {
      const wire::IpuId neighbour = link.neighbour();
      if (directly_ && directly_->gotRoomAt(neighbour))
        link.heard(now);
      const bool watches = isWatched(neighbour) && !late;
      if (const wire::Status status = link.watch(watches, now); !status.ok())
        fail(status);
      // Probes of the neighbour lie behind its packet that has no room.
      if (directly_ && directly_->areHeldUp(neighbour))
        link.sayAlive();
    }
  }

  bool isWatched(wire::IpuId neighbour) const {
    // The other end of a shortcut has neighbours that watch it.
    return (watched_ && !shortcuts_.contains(neighbour)) ||
           (directly_ && directly_->waitFor(neighbour));
  }

  void tick() {
    const locks::Lock lock(mutex_);
    timerAt_.reset();
    const auto now = Clock::now();
    watchLinks(now);
    for (Link &link : links_)
      if (const wire::Status status = link.tick(now); !status.ok())
        fail(status);
    schedule();
  }

  LinkOptions options_; // written by bind() only
  const OnFailure onFailure_;
  Inbox inbox_;
  std::atomic<bool> wakePosted_{false};
  std::atomic<std::uint64_t> malformed_{0};
  Endpoint endpoint_; // written by bind() only

  locks::Mutex mutex_;
  Reactor reactor_;
  std::unique_ptr<Transport> transport_;
  DirectWays *ways_ = nullptr; ///< the transport's; null: sent_ and the inbox are waited for
  std::optional<DirectPackets> directly_; ///< if there are such ways
  std::optional<asio::steady_timer> timer_, lossTimer_;
  std::optional<Clock::time_point> timerAt_ COPSE_GUARDED_BY(mutex_);
  std::atomic<bool> watched_{false};
  Clock::time_point watchAt_ COPSE_GUARDED_BY(mutex_){}; // when links are watched next
  // Written by connect() and reset(), while no control program sends or receives; read by both
  // threads, without the mutex.
  LinkPlan plan_;
  std::optional<Router> router_;
  // Of the links, those to IPUs that are no neighbours. Written as the plan is.
  std::set<wire::IpuId> shortcuts_;
  std::deque<Link> links_ COPSE_GUARDED_BY(mutex_);     // a link does not move; neighbours first
  std::vector<Link *> linkOf_ COPSE_GUARDED_BY(mutex_); // by IPU; null: there is none
  // send() waits with it for room
  std::optional<std::pair<LinkUse, Packet>> blocked_ COPSE_GUARDED_BY(mutex_);
  locks::Condition sent_;                         // or nothing can be sent any more
  bool stalled_ COPSE_GUARDED_BY(mutex_) = false; ///< a packet that has come waits for room
  bool down_ COPSE_GUARDED_BY(mutex_) = false;
  std::uint32_t pastEpoch_ COPSE_GUARDED_BY(mutex_) = 0; ///< before the plan's
  std::deque<std::variant<Early, DirectPacket>> early_ COPSE_GUARDED_BY(mutex_);
};

LinkNode::LinkNode(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LinkNode::~LinkNode() = default;

wire::Result<std::unique_ptr<LinkNode>> LinkNode::bind(const TransportFactory &transports,
                                                       const Endpoint &listen, LinkOptions options,
                                                       OnFailure onFailure) {
  auto impl = std::make_unique<Impl>(options, std::move(onFailure));
  if (wire::Status status = impl->bind(transports, listen); !status.ok())
    return status;
  return std::unique_ptr<LinkNode>(new LinkNode(std::move(impl)));
}

const Endpoint &LinkNode::endpoint() const { return impl_->endpoint(); }
wire::Status LinkNode::connect(LinkPlan plan) { return impl_->connect(std::move(plan)); }

wire::Status LinkNode::openShortcuts(const std::vector<wire::IpuId> &peers) {
  return impl_->openShortcuts(peers);
}

void LinkNode::watch(bool on) { impl_->watch(on); }

Payload LinkNode::payloadTo(wire::IpuId to, std::size_t bytes) {
  return impl_->payloadTo(to, bytes);
}

wire::Status LinkNode::send(wire::IpuId to, std::uint32_t tag, Payload payload) {
  return impl_->send(to, tag, std::move(payload));
}

wire::Result<Payload> LinkNode::receive(wire::IpuId from, std::uint32_t tag,
                                        Clock::time_point deadline) {
  return impl_->receive(from, tag, deadline);
}

void LinkNode::stop(wire::Status status) { impl_->stop(std::move(status)); }
void LinkNode::reset(std::uint32_t epoch) { impl_->reset(epoch); }
std::vector<LinkCounters> LinkNode::counters() { return impl_->counters(); }
std::uint64_t LinkNode::malformed() const { return impl_->malformed(); }

} // namespace copse::fabric
