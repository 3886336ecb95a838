#include "host_sockets.hpp"

#include "fabric/endpoint.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace copse::ipud {
namespace {

// A ROUTER lets no peer choose an identity that begins with a zero, and its own have five bytes.
constexpr std::string_view kRingIdentity("\0rings", 6);

// Host programs that are connected at once; each may take memory.
constexpr std::size_t kMostRingPeers = 64;

} // namespace

HostSockets::HostSockets(fabric::Reactor &reactor, zmq::context_t &context)
    : reactor_(reactor), router_(reactor, context, zmq::socket_type::router) {
  router_.socket().set(zmq::sockopt::router_mandatory, 1);
}

void HostSockets::useKeys(const fabric::Keyring &keys) {
  keys.listen(router_.socket(), {fabric::Role::Host});
  hasKeys_ = true;
}

wire::Result<std::string> HostSockets::bind(const std::string &endpoint) {
  auto real = router_.bind(endpoint);
  if (!real || hasKeys_)
    return real;
  const auto parsed = fabric::Endpoint::parse(*real);
  if (const auto path = parsed ? fabric::ringPathOf(*parsed) : std::nullopt)
    listener_ = fabric::RingListener::bind(reactor_, *path); // null: hosts take the ROUTER
  return real;
}

void HostSockets::watch(fabric::WatchedSocket::OnMessage onMessage,
                        std::function<void()> onWritable,
                        std::function<void(const std::string &)> onBad) {
  onMessage_ = std::move(onMessage);
  onWritable_ = std::move(onWritable);
  onBad_ = std::move(onBad);
  router_.watch([this](fabric::Frames frames) { onMessage_(std::move(frames)); },
                [this] { onWritable_(); });
  if (listener_)
    listener_->watch([this](std::unique_ptr<fabric::RingSocket> peer) { add(std::move(peer)); },
                     onBad_);
}

void HostSockets::add(std::unique_ptr<fabric::RingSocket> peer) {
  const std::string identity = std::string(kRingIdentity) + std::to_string(added_++);
  const std::shared_ptr<fabric::RingSocket> kept(std::move(peer));
  {
    const locks::Lock lock(mutex_);
    if (peers_.size() >= kMostRingPeers)
      return onBad_("a connection of one more host program than may be there at once");
    peers_[identity] = kept;
  }
  kept->watch({[this, identity](fabric::Frames frames) {
                 frames.emplace(frames.begin(), identity.data(), identity.size());
                 onMessage_(std::move(frames));
               },
               [this] { onWritable_(); },
               [this, identity](const wire::Status &why) { remove(identity, why); }});
}

void HostSockets::remove(const std::string &identity, const wire::Status &why) {
  std::shared_ptr<fabric::RingSocket> peer; // goes without the lock
  {
    const locks::Lock lock(mutex_);
    if (const auto found = peers_.find(identity); found != peers_.end()) {
      peer = std::move(found->second);
      peers_.erase(found);
    }
  }
  if (why.code != wire::Code::Disconnected)
    onBad_("a connection of a host program has ended: " + why.message);
}

std::shared_ptr<fabric::RingSocket> HostSockets::peerOf(const std::string &identity) {
  const locks::Lock lock(mutex_);
  const auto found = peers_.find(identity);
  return found == peers_.end() ? nullptr : found->second;
}

fabric::Sent HostSockets::send(fabric::Frames &frames) {
  if (!frames.front().to_string_view().starts_with(kRingIdentity))
    return router_.send(frames);
  const auto peer = peerOf(frames.front().to_string());
  if (!peer)
    return fabric::Sent::Unreachable;
  fabric::Frames message(std::make_move_iterator(frames.begin() + 1),
                         std::make_move_iterator(frames.end()));
  const fabric::Sent sent = peer->send(message);
  if (sent == fabric::Sent::Ok)
    frames.clear();
  else
    std::move(message.begin(), message.end(), frames.begin() + 1);
  return sent;
}

fabric::Payload HostSockets::payloadTo(const std::string &identity, std::size_t bytes) {
  const auto peer = peerOf(identity);
  return peer ? peer->payload(bytes) : fabric::Payload(bytes);
}

} // namespace copse::ipud
