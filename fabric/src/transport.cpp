#include "fabric/transport.hpp"

#include "sealed_ways.hpp"
#include "short_messages.hpp"

#include "fabric/keys.hpp"

#include <cassert>
#include <map>
#include <optional>

namespace copse::fabric {
namespace {

class ZmqTransport : public Transport {
public:
  ZmqTransport(Reactor &reactor, zmq::context_t &context, int highWater,
               std::shared_ptr<const Keyring> keys)
      : reactor_(reactor), context_(context), highWater_(highWater), keys_(std::move(keys)),
        inbox_(reactor, context, zmq::socket_type::pull), short_(reactor) {
    inbox_.socket().set(zmq::sockopt::rcvhwm, highWater);
    if (!keys_)
      return;
    keys_->listen(inbox_.socket(), {Role::Ipu});
    if (sealingIsQuick())
      sealed_.emplace(reactor);
  }

  wire::Result<std::string> bind(const std::string &endpoint) override {
    auto bound = inbox_.bind(endpoint);
    if (bound && !keys_) // datagrams would not say who sends them
      short_.bind(*bound);
    if (bound && sealed_)
      sealed_->bind(*bound);
    return bound;
  }

  void watch(OnMessage onMessage, OnWritable onWritable, OnBad onBad) override {
    onMessage_ = std::move(onMessage);
    onWritable_ = std::move(onWritable);
    short_.watch([this](Frames frames) { onMessage_(std::move(frames), ""); });
    inbox_.watch([this](Frames frames) {
      short_.receiveAll(); // what was sent before this
      const std::string sender = keys_ ? senderOf(frames.front()) : "";
      if (!sealed_ || !sealed_->handle(sender, frames))
        onMessage_(std::move(frames), sender);
    });
    if (sealed_)
      sealed_->watch(onMessage_, onWritable_, std::move(onBad));
  }

  wire::Status connect(wire::IpuId neighbour, const std::string &endpoint,
                       const std::string &name) override {
    ways_.erase(neighbour);
    auto way = std::make_unique<WatchedSocket>(reactor_, context_, zmq::socket_type::push);
    way->socket().set(zmq::sockopt::sndhwm, highWater_);
    if (keys_)
      if (wire::Status status = keys_->connect(way->socket(), name); !status.ok())
        return status;
    if (wire::Status status = way->connect(endpoint); !status.ok())
      return status;
    way->watch([](Frames) {}, [this, neighbour] { onWritable_(neighbour); });
    if (!keys_)
      short_.connect(neighbour, endpoint);
    ways_[neighbour] = std::move(way);
    if (sealed_)
      sealed_->connect(neighbour, endpoint, name, [this, neighbour](zmq::message_t frame) {
        Frames frames;
        frames.push_back(std::move(frame));
        (void)sendThroughZmq(neighbour, frames);
      });
    return wire::Status::success();
  }

  void disconnectAll() override {
    if (sealed_)
      sealed_->disconnectAll();
    ways_.clear();
    short_.disconnectAll();
  }

  Sent send(wire::IpuId neighbour, Frames &frames) override {
    if (sealed_)
      if (const Sent sent = sealed_->send(neighbour, frames); sent != Sent::Unreachable)
        return sent;
    return sendThroughZmq(neighbour, frames);
  }

  bool sendShort(wire::IpuId neighbour, const Frames &frames) override {
    return short_.send(neighbour, frames);
  }

  bool sealed(wire::IpuId neighbour) const override { return sealed_ && sealed_->open(neighbour); }
  std::uint16_t sealedPort() const override { return sealed_ ? sealed_->port() : 0; }

private:
  Sent sendThroughZmq(wire::IpuId neighbour, Frames &frames) {
    const auto way = ways_.find(neighbour);
    return way == ways_.end() ? Sent::Unreachable : way->second->send(frames);
  }

  Reactor &reactor_;
  zmq::context_t &context_;
  int highWater_;
  std::shared_ptr<const Keyring> keys_;
  OnMessage onMessage_;
  OnWritable onWritable_;
  WatchedSocket inbox_;
  ShortMessages short_;
  std::map<wire::IpuId, std::unique_ptr<WatchedSocket>> ways_;
  std::optional<SealedWays> sealed_; ///< with keys
};

} // namespace

std::string listenEndpoint(TransportKind kind, const std::string &where) {
  switch (kind) {
  case TransportKind::Inproc:
    return "inproc://" + where;
  case TransportKind::Ipc:
    return "ipc://" + where;
  case TransportKind::Tcp:
    return "tcp://" + where + ":*";
  }
  assert(false && "no such transport");
  return {};
}

std::unique_ptr<Transport> makeZmqTransport(Reactor &reactor, zmq::context_t &context,
                                            int highWater, std::shared_ptr<const Keyring> keys) {
  return std::make_unique<ZmqTransport>(reactor, context, highWater, std::move(keys));
}

} // namespace copse::fabric
