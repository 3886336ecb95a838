#include "fabric/peer_sockets.hpp"

#include "fabric/endpoint.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace copse::fabric {
namespace {

// A ROUTER lets no peer choose an identity that begins with a zero, and its own have five bytes.
constexpr std::string_view kRingIdentity("\0rings", 6);

} // namespace

PeerSockets::PeerSockets(Reactor &reactor, zmq::context_t &context,
                         std::optional<std::uint64_t> mostBytes)
    : reactor_(reactor), router_(reactor, context, zmq::socket_type::router),
      mostBytes_(mostBytes) {
  router_.socket().set(zmq::sockopt::router_mandatory, 1);
  if (mostBytes)
    router_.socket().set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(*mostBytes));
}

void PeerSockets::useKeys(const Keyring &keys, std::initializer_list<Role> roles) {
  keys.listen(router_.socket(), roles);
  hasKeys_ = true;
}

wire::Result<std::string> PeerSockets::bind(const std::string &endpoint) {
  auto real = router_.bind(endpoint);
  if (!real || hasKeys_)
    return real;
  const auto parsed = Endpoint::parse(*real);
  if (const auto path = parsed ? ringPathOf(*parsed) : std::nullopt)
    listener_ = RingListener::bind(reactor_, *path, mostBytes_.value_or(RingListener::kMostBytes));
  return real;
}

void PeerSockets::watch(WatchedSocket::OnMessage onMessage, std::function<void()> onWritable,
                        std::function<void(const std::string &)> onBad) {
  onMessage_ = std::move(onMessage);
  onWritable_ = std::move(onWritable);
  onBad_ = std::move(onBad);
  router_.watch([this](Frames frames) { onMessage_(std::move(frames)); },
                [this] { onWritable_(); });
  if (listener_)
    listener_->watch([this](std::unique_ptr<RingSocket> peer) { add(std::move(peer)); }, onBad_);
}

void PeerSockets::add(std::unique_ptr<RingSocket> peer) {
  const std::string identity = std::string(kRingIdentity) + std::to_string(added_++);
  const std::shared_ptr<RingSocket> kept(std::move(peer));
  {
    const locks::Lock lock(mutex_);
    if (peers_.size() >= kMostRingPeers)
      return onBad_("a connection of one more peer than may have rings at once");
    peers_[identity] = kept;
  }
  kept->watch({[this, identity](Frames frames) {
                 frames.emplace(frames.begin(), identity.data(), identity.size());
                 onMessage_(std::move(frames));
               },
               [this] { onWritable_(); },
               [this, identity](const wire::Status &why) { remove(identity, why); }});
}

void PeerSockets::remove(const std::string &identity, const wire::Status &why) {
  std::shared_ptr<RingSocket> peer; // goes without the lock
  {
    const locks::Lock lock(mutex_);
    if (const auto found = peers_.find(identity); found != peers_.end()) {
      peer = std::move(found->second);
      peers_.erase(found);
    }
  }
  if (why.code != wire::Code::Disconnected)
    onBad_("a connection with rings has ended: " + why.message);
}

std::shared_ptr<RingSocket> PeerSockets::peerOf(const std::string &identity) {
  const locks::Lock lock(mutex_);
  const auto found = peers_.find(identity);
  return found == peers_.end() ? nullptr : found->second;
}

Sent PeerSockets::send(Frames &frames) {
  if (!frames.front().to_string_view().starts_with(kRingIdentity))
    return router_.send(frames);
  const auto peer = peerOf(frames.front().to_string());
  if (!peer)
    return Sent::Unreachable;
  Frames message(std::make_move_iterator(frames.begin() + 1),
                 std::make_move_iterator(frames.end()));
  const Sent sent = peer->send(message);
  if (sent == Sent::Ok)
    frames.clear();
  else
    std::move(message.begin(), message.end(), frames.begin() + 1);
  return sent;
}

Payload PeerSockets::payloadTo(const std::string &identity, std::size_t bytes) {
  const auto peer = peerOf(identity);
  return peer ? peer->payload(bytes) : Payload(bytes);
}

} // namespace copse::fabric
