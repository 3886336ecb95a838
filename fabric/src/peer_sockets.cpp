#include "fabric/peer_sockets.hpp"

#include "fabric/endpoint.hpp"

#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace copse::fabric {
namespace {

// Identities of peers without a ZeroMQ socket. A ROUTER lets no peer choose an identity that begins
// with a zero, and its own have five bytes.
constexpr std::string_view kRingIdentity("\0rings", 6), kStreamIdentity("\0stream", 7);

bool hasPrefix(const std::string &identity, std::string_view prefix) {
  return std::string_view(identity).starts_with(prefix);
}

} // namespace

PeerSockets::PeerSockets(Reactor &reactor, zmq::context_t &context, Limits limits,
                         std::shared_ptr<Refusals> refusals)
    : reactor_(reactor), context_(context), limits_(limits), refusals_(std::move(refusals)) {}

void PeerSockets::useKeys(std::shared_ptr<const Keyring> keys, std::vector<Role> roles) {
  keys_ = std::move(keys);
  roles_ = std::move(roles);
}

wire::Result<std::string> PeerSockets::bind(const std::string &endpoint) {
  const auto parsed = Endpoint::parse(endpoint);
  if (!parsed)
    return parsed.status();
  if (parsed->transport() == TransportKind::Inproc)
    return bindRouter(endpoint);
  auto real = bindStreams(*parsed);
  if (!real || keys_)
    return real;
  if (const auto path = ringPathOf(*parsed))
    rings_ = RingListener::bind(reactor_, *path, limits_.mostBytes);
  return real;
}

wire::Result<std::string> PeerSockets::bindRouter(const std::string &endpoint) {
  router_.emplace(reactor_, context_, zmq::socket_type::router);
  router_->socket().set(zmq::sockopt::router_mandatory, 1);
  return router_->bind(endpoint);
}

wire::Result<std::string> PeerSockets::bindStreams(const Endpoint &endpoint) {
  streams_ = std::make_unique<ZmtpListener>(
      StreamLoop{reactor_.io(),
                 [&reactor = reactor_](auto work) { reactor.post(std::move(work)); }},
      ZmtpListener::Options{
          keys_, roles_, "ROUTER", {"DEALER", "REQ", "ROUTER"}, limits_.atFirst, refusals_});
  auto bound = streams_->bind(endpoint);
  if (!bound)
    return bound.status();
  return bound->text();
}

void PeerSockets::watch(WatchedSocket::OnMessage onMessage, std::function<void()> onWritable,
                        std::function<void(const std::string &)> onBad) {
  onMessage_ = std::move(onMessage);
  onWritable_ = std::move(onWritable);
  onBad_ = std::move(onBad);
  if (router_)
    router_->watch([this](Frames frames) { onMessage_(std::move(frames)); },
                   [this] { onWritable_(); });
  if (streams_)
    streams_->watch([this](std::unique_ptr<ZmtpSocket> socket, const std::string &origin) {
      addStream(std::move(socket), origin);
    });
  if (rings_)
    rings_->watch([this](std::unique_ptr<RingSocket> peer) { addRings(std::move(peer)); }, onBad_);
}

void PeerSockets::addStream(std::unique_ptr<ZmtpSocket> socket, const std::string &origin) {
  const auto peer = std::make_shared<StreamPeer>(
      StreamPeer{std::string(kStreamIdentity) + std::to_string(added_++), std::move(socket)});
  if (const auto displaced = table_.add(peer, origin)) {
    refusals_->count(origin, "too many connections");
    const locks::Lock lock(mutex_);
    streamPeers_.erase(displaced->identity);
  }
  {
    const locks::Lock lock(mutex_);
    streamPeers_[peer->identity] = peer;
  }
  peer->socket->watch({[this, identity = peer->identity, key = peer.get()](Frames frames) {
                         table_.use(key);
                         receive(identity, std::move(frames));
                       },
                       [this] { onWritable_(); },
                       [this, identity = peer->identity](const wire::Status &why) {
                         removeStream(identity, why);
                       }});
}

void PeerSockets::addRings(std::unique_ptr<RingSocket> peer) {
  const std::string identity = std::string(kRingIdentity) + std::to_string(added_++);
  const std::shared_ptr<RingSocket> kept(std::move(peer));
  {
    const locks::Lock lock(mutex_);
    if (ringPeers_.size() >= kMostRingPeers)
      return onBad_("a connection of one more peer than may have rings at once");
    ringPeers_[identity] = kept;
  }
  kept->watch({[this, identity](Frames frames) { receive(identity, std::move(frames)); },
               [this] { onWritable_(); },
               [this, identity](const wire::Status &why) { removeRings(identity, why); }});
}

void PeerSockets::receive(const std::string &identity, Frames frames) {
  frames.emplace(frames.begin(), identity.data(), identity.size());
  onMessage_(std::move(frames));
}

void PeerSockets::removeStream(const std::string &identity, const wire::Status &why) {
  const auto peer = streamOf(identity); // destroyed after the lock is released
  {
    const locks::Lock lock(mutex_);
    streamPeers_.erase(identity);
  }
  table_.remove(peer.get());
  told(identity, why);
}

void PeerSockets::removeRings(const std::string &identity, const wire::Status &why) {
  const auto peer = ringsOf(identity); // destroyed after the lock is released
  {
    const locks::Lock lock(mutex_);
    ringPeers_.erase(identity);
  }
  told(identity, why);
}

void PeerSockets::told(const std::string &identity, const wire::Status &why) {
  if (why.code != wire::Code::Disconnected)
    onBad_("the connection of a peer has ended: " + why.message);
  onEnd_(identity);
}

std::shared_ptr<PeerSockets::StreamPeer> PeerSockets::streamOf(const std::string &identity) {
  const locks::Lock lock(mutex_);
  const auto found = streamPeers_.find(identity);
  return found == streamPeers_.end() ? nullptr : found->second;
}

std::shared_ptr<RingSocket> PeerSockets::ringsOf(const std::string &identity) {
  const locks::Lock lock(mutex_);
  const auto found = ringPeers_.find(identity);
  return found == ringPeers_.end() ? nullptr : found->second;
}

void PeerSockets::allow(const std::string &identity, bool isAllowed) {
  const auto peer = streamOf(identity);
  if (!peer)
    return;
  peer->socket->limit(isAllowed ? limits_.mostBytes : limits_.atFirst);
  table_.keep(peer.get(), isAllowed);
}

Sent PeerSockets::send(Frames &frames) {
  const std::string identity = frames.front().to_string();
  const auto stream = isStream(identity) ? streamOf(identity) : nullptr;
  const auto rings = hasPrefix(identity, kRingIdentity) ? ringsOf(identity) : nullptr;
  if (!stream && !rings)
    return router_ ? router_->send(frames) : Sent::Unreachable;
  Frames message(std::make_move_iterator(frames.begin() + 1),
                 std::make_move_iterator(frames.end()));
  const Sent sent = stream ? stream->socket->send(message) : rings->send(message);
  if (sent == Sent::Ok)
    frames.clear();
  else
    std::move(message.begin(), message.end(), frames.begin() + 1);
  return sent;
}

bool PeerSockets::isStream(const std::string &identity) {
  return hasPrefix(identity, kStreamIdentity);
}

Payload PeerSockets::payloadTo(const std::string &identity, std::size_t bytes) {
  const auto peer = hasPrefix(identity, kRingIdentity) ? ringsOf(identity) : nullptr;
  return peer ? peer->payload(bytes) : Payload(bytes);
}

void PeerSockets::drain(const std::string &identity, std::chrono::milliseconds timeout) {
  if (router_)
    router_->linger(timeout);
  if (const auto stream = streamOf(identity))
    stream->socket->drain(timeout);
}

} // namespace copse::fabric
