#include "network_links.hpp"

#include "inbox.hpp"
#include "link.hpp"
#include "link_plan.hpp"
#include "locks/mutex.hpp"

#include "fabric/router.hpp"
#include "wire/envelope.hpp"
#include "wire/ipu_names.hpp"

#include <asio/steady_timer.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace copse::fabric {
namespace {

// How often a watched neighbour is probed within the deadline.
constexpr int kWatchesPerDeadline = 6;

// IPU-Links over a Transport. The thread that has something to do for a link does it itself, under
// mutex_: the reactor's thread receives messages and keeps the time, and the control program's
// thread hands its packets to the transport. To pass the work to another thread would cost more
// than to send.
class NetworkLinks : public LinkNode {
public:
  NetworkLinks(LinkOptions options, OnFailure onFailure, std::unique_ptr<Reactor> reactor,
               std::unique_ptr<Transport> transport)
      : options_(options), onFailure_(std::move(onFailure)), inbox_(options_, [this] { wake(); }),
        reactor_(std::move(reactor)), transport_(std::move(transport)), timer_(reactor_->io()) {}

  ~NetworkLinks() override {
    inbox_.fail({wire::Code::Cancelled, "this node of the IPU-Links has ended"});
    reactor_->stop();
  }
  NetworkLinks(const NetworkLinks &) = delete;
  NetworkLinks &operator=(const NetworkLinks &) = delete;

  wire::Status bind(const Endpoint &listen) {
    return reactor_->call([&]() -> wire::Status {
      auto bound = transport_->bind(listen);
      if (!bound)
        return bound.status();
      endpoint_ = *bound;
      transport_->watch({[this](LinkMessage &&message, const std::string &sender) {
                           receive(std::move(message), sender);
                         },
                         [this](wire::IpuId neighbour) { writable(neighbour); },
                         [this](const std::string &why) {
                           const locks::Lock lock(mutex_);
                           malformed(why);
                         }});
      return wire::Status::success();
    });
  }

  const Endpoint &endpoint() const override { return endpoint_; }

  wire::Status connect(LinkPlan plan) override {
    if (wire::Status status = checkPlan(plan); !status.ok())
      return status;
    return reactor_->call([&]() -> wire::Status {
      const locks::Lock lock(mutex_);
      transport_->disconnectAll();
      plan_ = std::move(plan);
      router_.emplace(plan_.wiring());
      restart();
      for (const Link &link : links_)
        if (wire::Status status = openConnection(link.neighbour()); !status.ok())
          return status;
      return wire::Status::success();
    });
  }

  wire::Status openDirectChannels(const std::vector<wire::IpuId> & /*peers*/) override {
    return wire::Status::success(); // packets go through neighbours
  }

  void reset(std::uint32_t epoch) override {
    reactor_->call([&] {
      const locks::Lock lock(mutex_);
      plan_.epoch = epoch;
      restart();
    });
  }

  wire::Status send(wire::IpuId to, std::uint32_t tag, Payload payload) override {
    if (!router_ || to.value >= plan_.ipus || to == plan_.self)
      return noLinkTo(plan_, to);
    const LinkUse first = router_->next(Router::start(plan_.self), to);
    const std::uint64_t hash =
        options_.checkPayload ? wire::payloadHash(payload.bytes()) : std::uint64_t{0};
    return dispatch(first, {{plan_.self, to, tag, first.channel}, std::move(payload), hash});
  }

  wire::Result<Payload> receive(wire::IpuId from, std::uint32_t tag,
                                Clock::time_point deadline) override {
    if (from.value >= plan_.ipus || from == plan_.self)
      return noLinkFrom(plan_, from);
    return inbox_.take(from, tag, deadline);
  }

  Payload payloadTo(wire::IpuId /*to*/, std::size_t bytes) override { return Payload(bytes); }

  void watch(bool on) override { watched_ = on; }

  void stop(wire::Status status) override {
    assert(!status.ok());
    inbox_.fail(std::move(status));
    const locks::Lock lock(mutex_); // so that a sender that is about to wait sees the failure
    sent_.notify_all();
  }

  std::vector<LinkCounters> counters() override {
    return reactor_->call([&] {
      const locks::Lock lock(mutex_);
      std::vector<LinkCounters> all;
      for (Link &link : links_) {
        LinkCounters own = link.counters();
        for (std::size_t channel = 0; channel < wire::kChannels; ++channel)
          own.queued += link.out(channel).packets();
        all.push_back(own);
      }
      return all;
    });
  }

  std::uint64_t malformed() const override { return malformed_; }

private:
  wire::Status openConnection(wire::IpuId to) COPSE_REQUIRES(mutex_) {
    return transport_->connect({to, plan_.endpoints.at(to), nameAmongKeys(to)});
  }

  /// Sends a packet of this node. While the window of its first link is full, the packet takes
  /// turns with packets that are forwarded.
  wire::Status dispatch(const LinkUse &first, Packet packet) {
    locks::Lock lock(mutex_);
    if (!inbox_.sound())
      return inbox_.failure();
    Link &link = *linkTo(first.to);
    if (SendWindow &window = link.out(first.channel); window.hasRoom(packet.payload.size())) {
      window.push(std::move(packet));
      transmit(link, Clock::now());
      return wire::Status::success();
    }
    link.askForRoom(packet.payload.size());
    blocked_.emplace(first, std::move(packet));
    const Inbox::Waiting waiting(inbox_);
    while (blocked_ && inbox_.sound())
      sent_.wait(lock);
    return std::exchange(blocked_, {}) ? inbox_.failure() : wire::Status::success();
  }

  // Wakes the reactor's thread to move packets. Any thread.
  void wake() {
    if (!wakePosted_.exchange(true))
      reactor_->post([this] {
        wakePosted_ = false;
        const locks::Lock lock(mutex_);
        pump(Clock::now());
      });
  }

  void restart() COPSE_REQUIRES(mutex_) {
    links_.clear();
    linkOf_.assign(plan_.ipus, nullptr);
    inbox_.reset();
    for (const wire::IpuId neighbour : neighbours(plan_.wiring(), plan_.self))
      linkOf_[neighbour.value] =
          &links_.emplace_back(*transport_, options_, plan_.self, neighbour, plan_.epoch);
    down_ = stalled_ = false;
    schedule();
  }

  Link *linkTo(wire::IpuId neighbour) COPSE_REQUIRES(mutex_) {
    return neighbour.value < linkOf_.size() ? linkOf_[neighbour.value] : nullptr;
  }

  void receive(LinkMessage &&message, const std::string &sender) {
    const locks::Lock lock(mutex_);
    take(std::move(message), sender);
  }

  // Handles a message. No message is trusted: an invalid one is counted, logged and dropped.
  void take(LinkMessage &&message, const std::string &sender) COPSE_REQUIRES(mutex_) {
    const wire::Envelope &envelope = message.envelope;
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
    const auto time = Clock::now();
    const wire::Status status = link->handle(envelope, std::move(message.payload), time);
    if (!status.ok())
      fail(status);
    pump(*link, time);
  }

  std::string nameAmongKeys(wire::IpuId neighbour) const {
    const auto found = plan_.names.find(neighbour);
    return found == plan_.names.end() ? "" : found->second;
  }

  /// Returns why this is not a message for a link of this partition; empty if it is one.
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
    sent_.notify_all();
  }

  void transmit(Link &link, Clock::time_point now) COPSE_REQUIRES(mutex_) {
    link.transmit(now);
    schedule(link);
  }

  /// Moves the packets of \p link after it received a message. If no packet waits for room, only
  /// packets of this link can move.
  void pump(Link &link, Clock::time_point now) COPSE_REQUIRES(mutex_) {
    if (stalled_ || blocked_)
      return pump(now);
    bool any = false;
    for (std::size_t channel = 0; channel < wire::kChannels; ++channel)
      while (passOn(link, channel, now))
        any = true;
    endPumping(link, now);
    if (any)
      sent_.notify_all();
  }

  // Moves packets from the links and send() to the next links and the inbox as far as there is
  // room, one of each origin in turn.
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
      sent_.notify_all();
  }

  /// Sends the acknowledgements of \p link after no packet of it can move any more.
  void endPumping(Link &link, Clock::time_point now) COPSE_REQUIRES(mutex_) {
    stalled_ = stalled_ || link.in(0).ready() || link.in(1).ready();
    transmit(link, now);
  }

  // Moves the first packet of an inbound channel to the inbox or to the next link.
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
          router_->next({link.neighbour(), plan_.self, static_cast<std::uint8_t>(channel)},
                        packet.header.destination);
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

  /// Moves the packet with which send() waits into its window.
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
    sent_.notify_all();
  }

  // Sets the timer to the earliest time at which something is due.
  void schedule() COPSE_REQUIRES(mutex_) {
    if (links_.empty())
      return;
    auto earliest = watchAt_;
    for (const Link &link : links_)
      earliest = std::min(earliest, link.due().value_or(earliest));
    wakeAt(earliest);
  }

  /// Schedules the timer again after a change of \p link only.
  void schedule(const Link &link) COPSE_REQUIRES(mutex_) {
    if (const auto due = link.due())
      wakeAt(*due);
  }

  void wakeAt(Clock::time_point at) COPSE_REQUIRES(mutex_) {
    // A timer that is set for an earlier time is kept, and set again when it expires, because the
    // time at which something is due moves with every packet.
    if (down_ || (timerAt_ && *timerAt_ <= at))
      return;
    timerAt_ = at;
    timer_.expires_at(at);
    timer_.async_wait([this](const asio::error_code &error) {
      if (!error)
        tick();
    });
  }

  /// Probes watched neighbours from time to time, so that watch() need only set a flag. A node
  /// whose timer is late has been stopped itself: the answers of its neighbours may wait unread.
  void watchLinks(Clock::time_point now) COPSE_REQUIRES(mutex_) {
    if (now < watchAt_)
      return;
    const auto interval = options_.deadline / kWatchesPerDeadline;
    const bool late = now > watchAt_ + interval;
    watchAt_ = now + interval;
    for (Link &link : links_)
      if (const wire::Status status = link.watch(watched_ && !late, now); !status.ok())
        fail(status);
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

  const LinkOptions options_;
  const OnFailure onFailure_;
  Inbox inbox_;
  std::atomic<bool> wakePosted_{false};
  std::atomic<std::uint64_t> malformed_{0};
  Endpoint endpoint_; // written by bind() only

  locks::Mutex mutex_;
  std::unique_ptr<Reactor> reactor_;
  std::unique_ptr<Transport> transport_;
  asio::steady_timer timer_;
  std::optional<Clock::time_point> timerAt_ COPSE_GUARDED_BY(mutex_);
  std::atomic<bool> watched_{false};
  Clock::time_point watchAt_ COPSE_GUARDED_BY(mutex_){}; // when links are probed next
  // Written by connect() and reset(), while no control program sends or receives; read by both
  // threads, without the mutex.
  LinkPlan plan_;
  std::optional<Router> router_;
  std::deque<Link> links_ COPSE_GUARDED_BY(mutex_);     // a deque, because links must not move
  std::vector<Link *> linkOf_ COPSE_GUARDED_BY(mutex_); // by IPU; null: not a neighbour
  // the packet for which send() waits
  std::optional<std::pair<LinkUse, Packet>> blocked_ COPSE_GUARDED_BY(mutex_);
  locks::Condition sent_;                         // or send() must fail
  bool stalled_ COPSE_GUARDED_BY(mutex_) = false; ///< a packet that has arrived waits for room
  bool down_ COPSE_GUARDED_BY(mutex_) = false;
};

} // namespace

wire::Result<std::unique_ptr<LinkNode>>
bindNetworkLinks(const Endpoint &listen, LinkOptions options, LinkNode::OnFailure onFailure,
                 std::unique_ptr<Reactor> reactor, std::unique_ptr<Transport> transport) {
  auto links = std::make_unique<NetworkLinks>(options, std::move(onFailure), std::move(reactor),
                                              std::move(transport));
  if (wire::Status status = links->bind(listen); !status.ok())
    return status;
  return std::unique_ptr<LinkNode>(std::move(links));
}

int highWaterFor(const LinkOptions &options) {
  return static_cast<int>(4 * wire::kChannels * options.windowPackets);
}

} // namespace copse::fabric
